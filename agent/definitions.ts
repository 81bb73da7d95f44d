import type { NatsConnection } from '@nats-io/transport-node';
import type { Manifest } from '../core/definition.ts';
import { bucketOf, decodeDefinition, decodeManifest, MANIFEST_KEY, monitorOfKey } from '../proto/kv.ts';
import type { Logger } from '../runtime/logger.ts';
import { createBackoff, monotonicMs, sleep } from '../runtime/time.ts';
import { readManifest, watchBucket, type BucketEntry } from './bucket-watch.ts';
import type { BusUser } from './bus.ts';
import { createSignedValues, type SignedValues } from './signed-values.ts';
import { judgeSnapshot, type BucketValue, type DefinitionSet, type Snapshot } from './definition-set.ts';

export interface FollowerOptions {
  region: string;
  /** Who asks. */
  agentId: number;
  /** The set the agent goes by already. */
  adopted: DefinitionSet | null;
  onAdopt: (set: DefinitionSet, snapshot: Snapshot) => void;
  /** By what definitions must be signed: an Ed25519 key, SPKI in PEM. */
  definitionsKey: () => string;
  logger: Logger;
  /** How long a set may differ from its manifest before the bucket is read anew. */
  patienceMs?: number;
  /** How often the manifest is read past the watch, which may be dead without saying so. */
  peekMs?: number;
}

const PATIENCE_MS = 10_000;
const PEEK_MS = 10_000;
/** How long a manifest that was seen past the watch may take to come through it. */
const PEEK_GRACE_MS = 1000;
/** A burst of changes is judged once: soon after its manifest, which comes last; without one it makes no set. */
const SETTLE_MS = 25;
const NO_MANIFEST_MS = 500;
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5000;

/** Follows a region's definitions: adopts them whole, from a fresh snapshot whenever anything is doubtful. */
export class DefinitionsFollower implements BusUser {
  readonly #options: FollowerOptions;
  #adopted: DefinitionSet | null;
  #connectionProblem: string | null = 'NATS is not connected yet';
  #setProblem: string | null = null;
  /** Values that cannot be read at all were still there in a second snapshot: they stop only their own monitors. */
  #partly = false;
  readonly #signed: SignedValues;
  /** Ends the current watch. */
  #renew: (reason: string) => void = () => undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#adopted = options.adopted;
    this.#signed = createSignedValues(bucketOf(options.region), options.definitionsKey, options.logger);
  }

  get adopted(): DefinitionSet | null {
    return this.#adopted;
  }

  /** What keeps the agent from running what it should, one line each. */
  problems(): string[] {
    const unreadable = [...(this.#adopted?.definitions.values() ?? [])].flatMap(({ monitorId, problem }) =>
      problem === null ? [] : [`definition of monitor ${monitorId} cannot be run: ${problem}`],
    );
    const unsigned = this.#signed.unsigned().map((key) => `what stands under ${key} is not signed for that place`);
    const own = [this.#connectionProblem, this.#setProblem].filter((line) => line !== null);
    return [...own, ...unsigned, ...unreadable];
  }

  away(reason: string): void {
    this.#connectionProblem = `NATS is away: ${reason}`;
  }

  /** Follows over one connection, until it is closed for good or the signal aborts. */
  async follow(connection: NatsConnection, signal: AbortSignal): Promise<void> {
    const backoff = createBackoff(RETRY_MIN_MS, RETRY_MAX_MS);
    void this.#heedConnection(connection);
    while (!signal.aborted && !connection.isClosed()) {
      if (await this.#watchOnce(connection, signal)) backoff.reset();
      await sleep(backoff.next(), signal);
    }
  }

  /** One watch, from its snapshot on until there is doubt about it. True where it worked at all. */
  async #watchOnce(connection: NatsConnection, signal: AbortSignal): Promise<boolean> {
    const view = new WatchView(this.#signed);
    const renewal = new AbortController();
    const renew = (reason: string): void => {
      if (!renewal.signal.aborted) this.#options.logger.info({ reason }, 'definitions are read anew');
      renewal.abort();
    };
    const stop = (): void => renewal.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.#renew = renew;
      const { region, agentId } = this.#options;
      const entries = await watchBucket(connection, region, agentId);
      this.#signed.restart();
      this.#connectionProblem = null;
      const reading = this.#read(entries, view, renewal.signal).finally(() => renew('the watch ended'));
      const stopReading = (): void => entries.stop();
      renewal.signal.addEventListener('abort', stopReading, { once: true });
      if (renewal.signal.aborted) stopReading();
      await Promise.all([reading, this.#doubt(connection, view, renewal.signal, renew)]);
      return true;
    } catch (error) {
      this.#connectionProblem = `the bucket of the region cannot be read: ${textOf(error)}`;
      return false;
    } finally {
      renewal.abort();
      signal.removeEventListener('abort', stop);
    }
  }

  async #read(entries: AsyncIterable<BucketEntry>, view: WatchView, signal: AbortSignal): Promise<void> {
    let judging: NodeJS.Timeout | undefined;
    let isSoon = false;
    for await (const entry of entries) {
      if (signal.aborted) break;
      await view.take(entry);
      const isManifest = entry.key === MANIFEST_KEY;
      if (judging !== undefined && (isSoon || !isManifest)) continue;
      clearTimeout(judging);
      isSoon = isManifest;
      judging = setTimeout(
        () => {
          judging = undefined;
          if (!signal.aborted) this.#judge(view);
        },
        isManifest ? SETTLE_MS : NO_MANIFEST_MS,
      );
    }
    clearTimeout(judging);
  }

  #judge(view: WatchView): void {
    const verdict = judgeSnapshot(this.#adopted, view, this.#partly);
    view.mismatchSinceMs = verdict.kind === 'refuse' ? (view.mismatchSinceMs ?? monotonicMs()) : null;
    if (verdict.kind !== 'adopt') {
      view.problem = verdict.kind === 'refuse' ? verdict.problem : null;
      if (verdict.kind === 'none') this.#setProblem = null;
      return;
    }
    this.#adopted = verdict.set;
    this.#setProblem = null;
    this.#partly = view.hasUnreadable();
    const { epoch, generation } = verdict.set.manifest;
    this.#options.logger.info({ epoch, generation, definitions: verdict.set.definitions.size }, 'definitions adopted');
    this.#options.onAdopt(verdict.set, { manifest: verdict.set.manifest, values: new Map(view.values) });
  }

  /** A watch that lived through a lost connection may have missed something: it is opened anew. Ends with the connection. */
  async #heedConnection(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.#connectionProblem = 'NATS is away';
      if (type === 'reconnect') this.#renew('connected again');
    }
    this.#renew('the connection ended');
  }

  /** Ends the watch when its set does not come to equal its manifest, or when a manifest is seen that it does not show. */
  async #doubt(
    connection: NatsConnection,
    view: WatchView,
    signal: AbortSignal,
    renew: (reason: string) => void,
  ): Promise<void> {
    const patienceMs = (this.#options.patienceMs ?? PATIENCE_MS) * (1 + Math.random() / 2);
    const peekMs = (this.#options.peekMs ?? PEEK_MS) * (1 + Math.random() / 2);
    let peekAtMs = monotonicMs() + peekMs;
    while (!signal.aborted) {
      await sleep(Math.min(PEEK_GRACE_MS, patienceMs / 4), signal);
      if (signal.aborted) return;
      if (view.mismatchSinceMs !== null && monotonicMs() - view.mismatchSinceMs > patienceMs) {
        this.#setProblem = `definitions are not adopted: ${view.problem ?? 'not whole'}`;
        this.#partly = view.hasUnreadable();
        return renew('the set does not equal its manifest');
      }
      if (monotonicMs() < peekAtMs) continue;
      if (!(await this.#agreesWithBucket(connection, view, signal)))
        return renew('the watch does not show the manifest');
      peekAtMs = monotonicMs() + peekMs;
    }
  }

  async #agreesWithBucket(connection: NatsConnection, view: WatchView, signal: AbortSignal): Promise<boolean> {
    const seen = await this.#peek(connection);
    if (seen === null || isSameManifest(seen, view.manifest)) return true;
    await sleep(PEEK_GRACE_MS, signal);
    // It may have moved on meanwhile, which shows that the watch lives.
    return isSameManifest(seen, view.manifest) || (view.manifest?.generation ?? -1) > seen.generation;
  }

  /** The manifest past the watch; null: there is none, or nobody tells. */
  async #peek(connection: NatsConnection): Promise<Manifest | null> {
    const value = await readManifest(connection, this.#options.region, this.#options.agentId);
    if (value === null) return null;
    const content = await this.#signed.open({ key: MANIFEST_KEY, revision: 0, string: () => value });
    return decodeManifest(content ?? '');
  }
}

/** What a watch has shown so far. */
class WatchView implements Snapshot {
  manifest: Manifest | null = null;
  readonly values = new Map<string, BucketValue>();
  mismatchSinceMs: number | null = null;
  problem: string | null = null;
  readonly #signed: SignedValues;

  constructor(values: SignedValues) {
    this.#signed = values;
  }

  async take(entry: BucketEntry): Promise<void> {
    const { key } = entry;
    const isManifest = key === MANIFEST_KEY;
    if (!isManifest && monitorOfKey(key) === null) return;
    if (entry.isRemoved) {
      this.#signed.forget(key);
      if (isManifest) this.manifest = null;
      else this.values.delete(key);
      return;
    }
    const text = await this.#signed.open(entry);
    // What nobody may have written is not there: what stood there before still counts.
    if (text === null) return;
    if (isManifest) this.manifest = decodeManifest(text);
    else this.values.set(key, { text, stored: decodeDefinition(key, text) });
  }

  hasUnreadable(): boolean {
    return [...this.values.values()].some(({ stored }) => stored === null);
  }
}

function isSameManifest(a: Manifest, b: Manifest | null): boolean {
  return b !== null && a.epoch === b.epoch && a.generation === b.generation && a.hash === b.hash;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

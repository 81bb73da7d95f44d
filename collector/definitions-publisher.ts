import { Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Region, RegionDefinitions } from '../db/definitions.ts';
import type { ValueSigner } from '../proto/signed-value.ts';
import type { Logger } from '../runtime/logger.ts';
import { createBackoff, monotonicMs } from '../runtime/time.ts';
import { answerDefinitionRequests } from './definition-requests.ts';
import { BucketConflict, openDefinitionsBucket, type DefinitionsBucket } from './definitions-bucket.ts';
import { createGate, type Gate } from './gate.ts';

/** Every bucket is read back and compared whole this often. */
const PASS_MS = 60_000;
/** And asked this often whether someone else wrote to it. */
const PROBE_MS = 2000;

export interface PublisherParts {
  /** Opens a connection to NATS; tries until the signal aborts, and then rejects. */
  connect: (signal: AbortSignal) => Promise<NatsConnection>;
  listRegions: () => Promise<Region[]>;
  readDefinitions: (region: Region, monitorIds: readonly number[] | null) => Promise<RegionDefinitions>;
  signer: ValueSigner;
  logger: Logger;
}

export interface PublisherFigures {
  leading: boolean;
  /** Since all buckets were last compared whole; null: not yet. */
  passAgeMs: number | null;
  /** By region the monitors whose definition in the database cannot be read; empty where another process leads. */
  unreadable: (readonly [region: string, monitors: number])[];
}

/** Keeps every region's bucket equal to the database, while it leads. */
export interface DefinitionsPublisher {
  /** A monitor was made, changed or deleted. */
  changed(monitorId: number): void;
  /** There may be a new region. */
  regionsChanged(): void;
  /** Whether this process is the one that writes. Who begins to lead compares everything. */
  lead(leading: boolean): void;
  /** Compares everything as soon as possible. */
  compare(): void;
  /** What keeps it from publishing; null where nothing does, or another process leads. */
  problem(): string | null;
  figures(): PublisherFigures;
  run(signal: AbortSignal): Promise<void>;
}

interface State {
  leading: boolean;
  changed: Set<number>;
  regionsDue: boolean;
  passAt: number;
  passedAt: number | null;
  probeAt: number;
  /** By id of the region. */
  buckets: Map<number, DefinitionsBucket>;
  wake: Gate;
  problem: string | null;
}

export function createDefinitionsPublisher(parts: PublisherParts): DefinitionsPublisher {
  const state: State = {
    leading: false,
    changed: new Set(),
    regionsDue: false,
    passAt: 0,
    passedAt: null,
    probeAt: 0,
    buckets: new Map(),
    wake: createGate(),
    problem: 'not connected yet',
  };
  const compare = (): void => {
    state.passAt = 0;
    state.wake.open();
  };
  return {
    compare,
    problem: () => (state.leading ? state.problem : null),
    figures: () => ({
      leading: state.leading,
      passAgeMs: state.passedAt === null ? null : monotonicMs() - state.passedAt,
      unreadable: state.leading ? [...state.buckets.values()].map((one) => [one.region, one.unreadable]) : [],
    }),
    changed(monitorId) {
      // Who does not lead need not remember: leading begins with a look at everything.
      if (!state.leading) return;
      state.changed.add(monitorId);
      state.wake.open();
    },
    regionsChanged() {
      state.regionsDue = true;
      state.wake.open();
    },
    lead(leading) {
      state.leading = leading;
      compare();
    },
    async run(signal) {
      while (!signal.aborted) {
        const nats = await connectOrEnd(parts, signal);
        if (nats === null) return;
        await publishOver(nats, state, parts, signal);
      }
    },
  };
}

async function connectOrEnd(parts: PublisherParts, signal: AbortSignal): Promise<NatsConnection | null> {
  try {
    return await parts.connect(signal);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Publishes until the signal aborts or the connection is closed for good. */
async function publishOver(
  nats: NatsConnection,
  state: State,
  parts: PublisherParts,
  signal: AbortSignal,
): Promise<void> {
  const kvm = new Kvm(nats);
  state.buckets = new Map();
  const backoff = createBackoff(100, 5000);
  void followReconnects(nats, state);
  answerDefinitionRequests(nats, parts.logger);
  state.passAt = 0;
  while (!signal.aborted && !nats.isClosed()) {
    let pauseMs = untilDue(state);
    if (pauseMs <= 0) {
      try {
        await work(kvm, state, parts);
        backoff.reset();
        state.problem = null;
      } catch (error) {
        state.passAt = 0;
        state.problem = 'definitions not published';
        pauseMs = backoff.next();
        const conflict = error instanceof BucketConflict;
        parts.logger[conflict ? 'info' : 'warn']({ err: error }, 'definitions not published, trying again');
      }
    }
    if (pauseMs > 0) await state.wake.opened(pauseMs, signal);
  }
  await nats.close();
}

/** While the server was away its store may have been emptied. */
async function followReconnects(nats: NatsConnection, state: State): Promise<void> {
  for await (const { type } of nats.status()) {
    if (type !== 'reconnect' && type !== 'close') continue;
    state.passAt = 0;
    state.wake.open();
  }
}

/** Milliseconds until there is something to do. */
function untilDue(state: State): number {
  if (!state.leading) return PASS_MS;
  if (state.changed.size > 0 || state.regionsDue) return 0;
  return Math.min(state.passAt, state.probeAt) - monotonicMs();
}

async function work(kvm: Kvm, state: State, parts: PublisherParts): Promise<void> {
  const { buckets } = state;
  const passDue = state.passAt <= monotonicMs();
  const changed = [...state.changed];
  state.changed.clear();
  if (passDue || state.regionsDue) {
    state.regionsDue = false;
    const opened = await openBuckets(kvm, buckets, parts);
    await forAll(passDue ? [...buckets.values()] : opened, (bucket) => bucket.makeEqual());
  }
  if (passDue) {
    state.passedAt = monotonicMs();
    state.passAt = state.passedAt + PASS_MS;
  } else if (changed.length > 0) await forAll([...buckets.values()], (bucket) => patch(bucket, changed));
  else await forAll([...buckets.values()], (bucket) => repair(bucket, parts.logger));
  state.probeAt = monotonicMs() + PROBE_MS;
}

/** Opens a bucket for each region that has none yet; returns the new ones. */
async function openBuckets(
  kvm: Kvm,
  buckets: Map<number, DefinitionsBucket>,
  parts: PublisherParts,
): Promise<DefinitionsBucket[]> {
  const opened: DefinitionsBucket[] = [];
  for (const region of await parts.listRegions()) {
    if (buckets.has(region.id)) continue;
    const bucket = openDefinitionsBucket(kvm, {
      region: region.name,
      read: (monitorIds) => parts.readDefinitions(region, monitorIds),
      signer: parts.signer,
      logger: parts.logger.child({ region: region.name }),
    });
    buckets.set(region.id, bucket);
    opened.push(bucket);
  }
  return opened;
}

async function patch(bucket: DefinitionsBucket, changed: readonly number[]): Promise<void> {
  try {
    await bucket.patch(changed);
  } catch (error) {
    if (!(error instanceof BucketConflict)) throw error;
    await bucket.makeEqual();
  }
}

async function repair(bucket: DefinitionsBucket, logger: Logger): Promise<void> {
  if (await bucket.isUntouched()) return;
  logger.info('bucket was changed by another, comparing it');
  await bucket.makeEqual();
}

/** One region's trouble keeps no other waiting; the first is thrown at the end. */
async function forAll(
  buckets: readonly DefinitionsBucket[],
  work: (bucket: DefinitionsBucket) => Promise<unknown>,
): Promise<void> {
  const results = await Promise.allSettled(buckets.map(work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

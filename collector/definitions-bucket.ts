import { JetStreamApiCodes, JetStreamApiError, StorageType } from '@nats-io/jetstream';
import type { KV, Kvm } from '@nats-io/kv';
import { revisionOf, type Definition, type Manifest } from '../core/definition.ts';
import type { RegionDefinitions } from '../db/definitions.ts';
import {
  bucketOf,
  decodeDefinition,
  decodeManifest,
  encodeDefinition,
  encodeManifest,
  hashDefinitions,
  keyOfMonitor,
  MANIFEST_KEY,
  monitorOfKey,
} from '../proto/kv.ts';
import { readSnapshot } from '../proto/kv-snapshot.ts';
import { contentOf, type ValueSigner } from '../proto/signed-value.ts';
import type { Logger } from '../runtime/logger.ts';

/** Writes under way at the same time. */
const PIPELINE = 500;

/** Someone else wrote in between: read the bucket back and begin anew. */
export class BucketConflict extends Error {}

/** One region's bucket, made to hold what the database says. All writes are compare-and-set on what was last seen. */
export interface DefinitionsBucket {
  readonly region: string;
  /** Of the database's monitors those that no agent can run, because what is stored of them cannot be read. */
  readonly unreadable: number;
  /**
   * Reads the bucket back, then asks the database, and makes the bucket equal to what it says; creates it where it is
   * missing. Returns how many keys it wrote. @throws BucketConflict
   */
  makeEqual(): Promise<number>;
  /** The same for some monitors only, going by what was last seen of the bucket. @throws BucketConflict */
  patch(monitorIds: readonly number[]): Promise<number>;
  /** True while nobody else has written to the bucket or removed it since. */
  isUntouched(): Promise<boolean>;
}

/** The bucket as it was last seen. */
interface State {
  kv: KV;
  seal: (key: string, content: string) => string;
  created: string;
  /** The stream's last sequence if nobody else writes. */
  lastSequence: number;
  /** Of each key, deletion marks included; null: not known. */
  sequences: Map<string, number | null>;
  /** Those of values whose signature was found good, or made here. */
  vouched: Map<string, number>;
  /** The revision that stands under each monitor's key. */
  revisions: Map<number, number>;
  manifest: Manifest | null;
  /** Monitors of which the database holds something that cannot be read. */
  unreadable: Set<number>;
}

interface Parts {
  region: string;
  /** What the bucket must hold, read from the database after the call. */
  read: (monitorIds: readonly number[] | null) => Promise<RegionDefinitions>;
  signer: ValueSigner;
  logger: Logger;
}

/** How what stands under a key compares with what should. An unreadable value is behind. */
type Standing = 'same' | 'behind' | 'ahead';

export function openDefinitionsBucket(kvm: Kvm, parts: Parts): DefinitionsBucket {
  let state: State | undefined;
  return {
    region: parts.region,
    get unreadable() {
      return state?.unreadable.size ?? 0;
    },
    async makeEqual() {
      // Anything in the bucket was committed before it was read, so the database's answer is never the older one.
      const seen = await readBack(kvm, parts, state);
      state = seen.state;
      const wanted = await parts.read(null);
      const compare = (key: string, text: string, definition: Definition): Standing =>
        compareTexts(seen.texts.get(key) ?? null, key, text, wanted.epoch, definition, seen.state);
      return apply(seen.state, wanted, [...seen.texts.keys()], compare, parts.logger);
    },
    async patch(monitorIds) {
      const known = state;
      if (known === undefined) throw new BucketConflict('the bucket has not been read');
      const wanted = await parts.read(monitorIds);
      if (known.manifest?.epoch !== wanted.epoch) throw new BucketConflict('another epoch');
      const compare = (_key: string, _text: string, definition: Definition): Standing =>
        compareRevisions(known.revisions.get(definition.monitorId) ?? 0, revisionOf(definition));
      for (const id of monitorIds) known.unreadable.delete(id);
      const candidates = monitorIds.filter((id) => known.revisions.has(id)).map(keyOfMonitor);
      return apply(known, wanted, candidates, compare, parts.logger);
    },
    async isUntouched() {
      if (state === undefined) return false;
      try {
        const { streamInfo } = await state.kv.status();
        return streamInfo.created === state.created && streamInfo.state.last_seq === state.lastSequence;
      } catch (error) {
        if (error instanceof JetStreamApiError) return false;
        throw error;
      }
    },
  };
}

/** The bucket's state, and the content of every live key: empty where it is not signed as it should be. */
async function readBack(
  kvm: Kvm,
  { region, signer }: Parts,
  before: State | undefined,
): Promise<{ state: State; texts: Map<string, string> }> {
  const bucket = bucketOf(region);
  const kv = await kvm.create(bucket, { history: 1, storage: StorageType.File });
  const { streamInfo } = await kv.status();
  const known = before?.created === streamInfo.created ? before.vouched : new Map<string, number>();
  const sequences = new Map<string, number | null>();
  const vouched = new Map<string, number>();
  const texts = new Map<string, string>();
  await inParallel(await readSnapshot(kv), async (entry) => {
    const { key, revision } = entry;
    sequences.set(key, revision);
    if (entry.operation !== 'PUT') return;
    const value = entry.string();
    const content = known.get(key) === revision ? contentOf(value) : await signer.open(bucket, key, value);
    texts.set(key, content ?? '');
    if (content !== null) vouched.set(key, revision);
  });
  const manifest = decodeManifest(texts.get(MANIFEST_KEY) ?? '');
  texts.delete(MANIFEST_KEY);
  const { created, state } = streamInfo;
  const lastSequence = state.last_seq;
  const seal: State['seal'] = (key, content) => signer.seal(bucket, key, content);
  return {
    state: {
      ...{ kv, seal, created, lastSequence, sequences, vouched, manifest },
      revisions: new Map(),
      unreadable: new Set(),
    },
    texts,
  };
}

function compareTexts(
  stored: string | null,
  key: string,
  text: string,
  epoch: string,
  definition: Definition,
  state: State,
): Standing {
  const { monitorId } = definition;
  if (stored === text) {
    state.revisions.set(monitorId, revisionOf(definition));
    return 'same';
  }
  const held = stored === null ? null : decodeDefinition(key, stored);
  if (held === null || held.epoch !== epoch || held.revision <= revisionOf(definition)) return 'behind';
  state.revisions.set(monitorId, held.revision);
  return 'ahead';
}

function compareRevisions(held: number, wanted: number): Standing {
  if (held === wanted) return 'same';
  return held > wanted ? 'ahead' : 'behind';
}

/** Writes what is wanted, removes those of `candidates` that are not, and then says so in the manifest. */
async function apply(
  state: State,
  wanted: RegionDefinitions,
  candidates: readonly string[],
  compare: (key: string, text: string, definition: Definition) => Standing,
  logger: Logger,
): Promise<number> {
  const keys = new Set<string>();
  const writes: { key: string; text: string; definition: Definition }[] = [];
  for (const definition of wanted.definitions) {
    const key = keyOfMonitor(definition.monitorId);
    keys.add(key);
    const text = encodeDefinition(wanted.epoch, definition);
    const standing = compare(key, text, definition);
    if (standing === 'behind') writes.push({ key, text, definition });
    // Never lowered within an epoch: agents refuse to go back.
    if (standing === 'ahead') logger.warn({ monitorId: definition.monitorId }, 'bucket is ahead of the database');
  }
  for (const { monitorId, revision, problem } of wanted.unreadable) {
    state.unreadable.add(monitorId);
    logger.error({ monitorId, revision, problem }, 'monitor has no readable definition');
  }
  const removals = candidates.filter((key) => !keys.has(key));
  await inParallel(writes, async ({ key, text, definition }) => {
    await write(state, key, text);
    state.revisions.set(definition.monitorId, revisionOf(definition));
  });
  await inParallel(removals, (key) => remove(state, key));
  const changes = writes.length + removals.length;
  return changes + (await writeManifest(state, wanted, changes));
}

async function write(state: State, key: string, text: string): Promise<void> {
  const previousSeq = state.sequences.get(key);
  if (previousSeq === null) throw new BucketConflict(`${key} was removed and not seen since`);
  const sequence = await casGuarded(() => state.kv.put(key, state.seal(key, text), { previousSeq: previousSeq ?? 0 }));
  state.sequences.set(key, sequence);
  state.vouched.set(key, sequence);
  state.lastSequence++;
}

async function remove(state: State, key: string): Promise<void> {
  const previousSeq = state.sequences.get(key);
  if (typeof previousSeq !== 'number') throw new BucketConflict(`${key} was removed and not seen since`);
  await casGuarded(() => state.kv.purge(key, { previousSeq }));
  // What the mark's own sequence is, the client does not tell.
  state.sequences.set(key, null);
  state.lastSequence++;
  const monitorId = monitorOfKey(key);
  if (monitorId !== null) state.revisions.delete(monitorId);
}

async function casGuarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes;
    const codes: number[] = [StreamWrongLastSequence, StreamWrongLastSequenceUnknown];
    if (error instanceof JetStreamApiError && codes.includes(error.code))
      throw new BucketConflict('someone else wrote first', { cause: error });
    throw error;
  }
}

/**
 * Says what the bucket holds now. The generation is the database's clock in milliseconds where that is more than the
 * last one plus one, so that it grows even where the bucket and its memory were lost.
 */
async function writeManifest(state: State, { epoch, nowMs }: RegionDefinitions, changes: number): Promise<number> {
  const before = state.manifest;
  const now = { epoch, count: state.revisions.size, hash: hashDefinitions(state.revisions) };
  const same = before?.epoch === now.epoch && before.count === now.count && before.hash === now.hash;
  if (same && changes === 0) return 0;
  const manifest = { ...now, generation: Math.max((before?.generation ?? 0) + 1, Math.floor(nowMs)) };
  await write(state, MANIFEST_KEY, encodeManifest(manifest));
  state.manifest = manifest;
  return 1;
}

/** Runs `work` for all, some at a time; lets those that were begun finish before it throws what the first one threw. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += PIPELINE) {
    const results = await Promise.allSettled(items.slice(at, at + PIPELINE).map(work));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

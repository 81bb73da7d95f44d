import type { Definition, Manifest } from '../core/definition.ts';
import { hashDefinitions, monitorOfKey, type StoredDefinition } from '../proto/kv.ts';

/** What a region's agents are to run: adopted only whole. */
export interface DefinitionSet {
  manifest: Manifest;
  definitions: ReadonlyMap<number, StoredDefinition>;
}

/** A value of the bucket: its text, and what it says; null where that cannot be read at all. */
export interface BucketValue {
  text: string;
  stored: StoredDefinition | null;
}

/** What a watch has shown so far: values by key. */
export interface Snapshot {
  manifest: Manifest | null;
  values: ReadonlyMap<string, BucketValue>;
}

export type Verdict =
  | { kind: 'adopt'; set: DefinitionSet }
  /** Nothing new: no manifest, or the one that is adopted already. */
  | { kind: 'none' }
  /** Not the set its manifest describes, or one that goes back in time. */
  | { kind: 'refuse'; problem: string };

/**
 * Whether what a watch has shown is a set to adopt. It must be whole: as many values as its manifest counts, of its epoch,
 * with its hash over ids and revisions. Within an epoch neither the generation nor any monitor's revision goes back.
 * `partly`: values that cannot be read at all, so that no hash can match, are taken for what stops only their own
 * monitors if nothing else is wrong.
 */
export function judgeSnapshot(adopted: DefinitionSet | null, snapshot: Snapshot, partly: boolean): Verdict {
  const { manifest, values } = snapshot;
  if (manifest === null) return { kind: 'none' };
  const readable = [...values.values()].flatMap(({ stored }) => (stored?.epoch === manifest.epoch ? [stored] : []));
  const definitions = new Map(readable.map((stored) => [stored.monitorId, stored]));
  const set = { manifest, definitions };
  const garbled = garbledIn(snapshot, manifest, adopted);
  const problem = (adopted && stepBack(adopted, set)) ?? difference(set, garbled.length, partly);
  if (problem !== null) return { kind: 'refuse', problem };
  for (const one of garbled) definitions.set(one.monitorId, one);
  return adopted !== null && isSame(adopted, set) ? { kind: 'none' } : { kind: 'adopt', set };
}

/** What stands for values that cannot be read at all: their monitors are known by their keys. */
function garbledIn({ values }: Snapshot, { epoch }: Manifest, adopted: DefinitionSet | null): StoredDefinition[] {
  return [...values].flatMap(([key, { stored }]) => {
    const monitorId = monitorOfKey(key);
    if (stored !== null || monitorId === null) return [];
    const revision = adopted?.definitions.get(monitorId)?.revision ?? 1;
    return [{ monitorId, epoch, revision, definition: null, problem: 'its value cannot be read' }];
  });
}

/** How a set differs from its manifest; null: not at all. `garbled`: values besides it that cannot be read. */
function difference({ manifest, definitions }: DefinitionSet, garbled: number, partly: boolean): string | null {
  if (definitions.size + garbled !== manifest.count) return 'the number of definitions is not that of the manifest';
  if (garbled > 0) return partly ? null : 'a value cannot be read';
  return hashOf(definitions) === manifest.hash ? null : 'the hash is not that of the manifest';
}

function hashOf(definitions: ReadonlyMap<number, StoredDefinition>): string {
  return hashDefinitions([...definitions.values()].map(({ monitorId, revision }) => [monitorId, revision]));
}

function stepBack(adopted: DefinitionSet, next: DefinitionSet): string | null {
  if (adopted.manifest.epoch !== next.manifest.epoch) return null;
  if (next.manifest.generation < adopted.manifest.generation) return 'the manifest is older than the adopted one';
  for (const [monitorId, { revision }] of next.definitions) {
    const known = adopted.definitions.get(monitorId)?.revision ?? 0;
    if (revision < known) return `monitor ${monitorId} goes back from revision ${known} to ${revision}`;
  }
  return null;
}

function isSame(adopted: DefinitionSet, next: DefinitionSet): boolean {
  const [a, b] = [adopted.manifest, next.manifest];
  if (a.epoch !== b.epoch || a.generation !== b.generation || a.hash !== b.hash) return false;
  if (adopted.definitions.size !== next.definitions.size) return false;
  // What could not be read may be readable now, under the same manifest.
  return [...next.definitions].every(([id, { problem }]) => adopted.definitions.get(id)?.problem === problem);
}

/** The definition of a monitor this program cannot read: known only by its revision, due every minute. */
export function unreadableDefinition({ monitorId, revision }: StoredDefinition): Definition {
  return { monitorId, versions: [{ revision, fromMinute: 0, cron: null, probe: null }] };
}

import type { Definition, Manifest } from '../core/definition.ts';
import { hashDefinitions, type StoredDefinition } from '../proto/kv.ts';

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
  | { kind: 'adopt'; set: DefinitionSet; unreadable: string[] }
  /** Nothing new: no manifest, or the one that is adopted already. */
  | { kind: 'none' }
  /** Not the set its manifest describes, or one that goes back in time. */
  | { kind: 'refuse'; problem: string };

/**
 * Whether what a watch has shown is a set to adopt. It must be whole: as many values as its manifest counts, of its epoch,
 * with its hash over ids and revisions. Within an epoch neither the generation nor any monitor's revision goes back.
 * `partly`: values that cannot be read at all, so that no hash can match, are passed over if nothing else is wrong.
 */
export function judgeSnapshot(adopted: DefinitionSet | null, snapshot: Snapshot, partly: boolean): Verdict {
  const { manifest, values } = snapshot;
  if (manifest === null) return { kind: 'none' };
  const definitions = new Map<number, StoredDefinition>();
  for (const { stored } of values.values()) {
    if (stored !== null && stored.epoch === manifest.epoch) definitions.set(stored.monitorId, stored);
  }
  const unreadable = [...values].flatMap(([key, { stored }]) => (stored === null ? [key] : []));
  const set = { manifest, definitions };
  const problem = (adopted && stepBack(adopted, set)) ?? difference(set, unreadable.length, partly);
  if (problem !== null) return { kind: 'refuse', problem };
  return adopted !== null && isSame(adopted, set) ? { kind: 'none' } : { kind: 'adopt', set, unreadable };
}

/** How a set differs from its manifest; null: not at all. */
function difference({ manifest, definitions }: DefinitionSet, unreadable: number, partly: boolean): string | null {
  if (definitions.size + unreadable !== manifest.count) return 'the number of definitions is not that of the manifest';
  if (unreadable > 0) return partly ? null : 'a value cannot be read';
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
  const isSameManifest = a.epoch === b.epoch && a.generation === b.generation && a.hash === b.hash;
  return isSameManifest && adopted.definitions.size === next.definitions.size;
}

/** The definition of a monitor this program cannot read: known only by its revision, due every minute. */
export function unreadableDefinition({ monitorId, revision }: StoredDefinition): Definition {
  return { monitorId, versions: [{ revision, fromMinute: 0, cron: null, probe: null }] };
}

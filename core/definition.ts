import type { Minute } from './minute.ts';
import type { ProbeConfig } from './type-data.ts';

/**
 * One revision of a monitor as an agent must run it. It holds from its minute until the next version's; a version
 * without a probe is a pause (architecture, "Definitions").
 */
export interface DefinitionVersion {
  revision: number;
  fromMinute: Minute;
  /** Five-field cron in UTC; null is every minute. */
  cron: string | null;
  probe: ProbeConfig | null;
}

/** What a region's bucket holds of one monitor: the version in force and those planned, ascending by `fromMinute`. */
export interface Definition {
  monitorId: number;
  versions: DefinitionVersion[];
}

/** The version that holds in `minute`; undefined before the first one. */
export function versionAt(definition: Definition, minute: Minute): DefinitionVersion | undefined {
  return definition.versions.findLast((version) => version.fromMinute <= minute);
}

/** The revision a definition stands at: its newest version's. */
export function revisionOf(definition: Definition): number {
  return definition.versions.at(-1)?.revision ?? 0;
}

/** What a bucket says of itself: an agent adopts a set only whole, when it equals a manifest. */
export interface Manifest {
  /** Names one life of the database; a restored one gets another. */
  epoch: string;
  /** Grows with every change of the bucket within an epoch. */
  generation: number;
  count: number;
  /** Over the (monitor id, revision) pairs, see `hashDefinitions`. */
  hash: string;
}

import type { Definition, DefinitionVersion } from '../core/definition.ts';
import { MINUTE_SECONDS, type Minute } from '../core/minute.ts';
import { isProbeKind, TYPE_DATA, type ProbeConfig } from '../core/type-data.ts';
import type { Queryable } from './client.ts';

/** A region, and the first minute in which its monitors are due. */
export interface Region {
  id: number;
  name: string;
  fromMinute: Minute;
}

/** All regions, by id. */
export async function listRegions(db: Queryable): Promise<Region[]> {
  const { rows } = await db.query<Region>(
    `select id, name, extract(epoch from from_minute)::float8 as "fromMinute" from regions order by id`,
  );
  return rows;
}

/** What a region's agents must run, and what of it could not be read. */
export interface RegionDefinitions {
  epoch: string;
  /** The database's clock, unix milliseconds. */
  nowMs: number;
  definitions: Definition[];
  /** Monitors whose stored type_data fits no probe: they run nowhere until they are repaired. */
  unreadable: { monitorId: number; revision: number; problem: string }[];
}

interface VersionRow {
  monitorId: number;
  revision: number;
  fromMinute: Minute;
  /** Runs in this region at all. */
  runs: boolean;
  type: string;
  cron: string | null;
  typeData: unknown;
}

// One statement, so that epoch, clock and versions are of one moment. A version that is neither in force nor planned is
// left out: the one in force is that with the highest revision among those whose minute has come.
const VERSIONS = `
  with clock as (select service_now() as now)
  select (select value from system where key = 'epoch') as epoch,
    (select extract(epoch from now)::float8 * 1000 from clock) as "nowMs",
    coalesce(json_agg(json_build_object('monitorId', v.monitor_id, 'revision', v.revision,
      'fromMinute', extract(epoch from v.from_minute)::bigint, 'runs', v.active and (v.regions is null or $1 = any (v.regions)),
      'type', v.monitor_type, 'cron', v.cron, 'typeData', v.type_data) order by v.monitor_id, v.revision)
      filter (where v.monitor_id is not null), '[]') as versions
  from clock left join monitor_versions v on ($2::int[] is null or v.monitor_id = any ($2))
    and (v.from_minute > now or v.revision = (select max(w.revision) from monitor_versions w
      where w.monitor_id = v.monitor_id and w.from_minute <= now))`;

/**
 * What a region's bucket must hold: for each monitor with a probe that runs in the region, the version in force and
 * those planned. A version that does not run there stays, without a probe, until its minute and one more have passed;
 * then the monitor leaves. Versions hold from the region's own first minute at the earliest. `monitorIds` limits it to
 * some monitors.
 */
export async function readDefinitions(
  db: Queryable,
  region: Region,
  monitorIds: readonly number[] | null = null,
): Promise<RegionDefinitions> {
  const { rows } = await db.query<{ epoch: string; nowMs: number; versions: VersionRow[] }>(VERSIONS, [
    region.name,
    monitorIds,
  ]);
  const [row] = rows;
  if (!row) throw new Error('the database has no clock');
  const read: RegionDefinitions = { epoch: row.epoch, nowMs: row.nowMs, definitions: [], unreadable: [] };
  for (const versions of groupByMonitor(row.versions)) addMonitor(read, versions, region);
  return read;
}

function* groupByMonitor(rows: readonly VersionRow[]): Generator<VersionRow[]> {
  let group: VersionRow[] = [];
  for (const row of rows) {
    if (group[0] !== undefined && group[0].monitorId !== row.monitorId) {
      yield group;
      group = [];
    }
    group.push(row);
  }
  if (group.length > 0) yield group;
}

function addMonitor(read: RegionDefinitions, rows: readonly VersionRow[], region: Region): void {
  const versions: DefinitionVersion[] = [];
  for (const row of rows) {
    const parsed = readProbe(row);
    if ('problem' in parsed) {
      const { monitorId, revision } = row;
      read.unreadable.push({ monitorId, revision, problem: parsed.problem });
    }
    versions.push({
      revision: row.revision,
      fromMinute: Math.max(row.fromMinute, region.fromMinute),
      cron: row.cron,
      probe: 'problem' in parsed ? null : parsed.probe,
    });
  }
  const monitorId = rows[0]?.monitorId;
  if (monitorId !== undefined && isWanted(versions, read.nowMs)) read.definitions.push({ monitorId, versions });
}

/** A pause that has lasted a whole minute need not be told any more: every agent has seen it. */
function isWanted(versions: readonly DefinitionVersion[], nowMs: number): boolean {
  if (versions.some((version) => version.probe !== null)) return true;
  const last = versions.at(-1);
  return last !== undefined && last.revision > 1 && nowMs < (last.fromMinute + MINUTE_SECONDS) * 1000;
}

function readProbe(row: VersionRow): { probe: ProbeConfig | null } | { problem: string } {
  if (!row.runs || !isProbeKind(row.type)) return { probe: null };
  const config = TYPE_DATA[row.type].safeParse(row.typeData);
  if (!config.success) return { problem: config.error.issues[0]?.message ?? 'unreadable' };
  // The configuration was read by the schema of its own kind; the union of schemas hides that from the compiler.
  return { probe: { kind: row.type, config: config.data } as ProbeConfig };
}

/**
 * Which revisions a monitor has had, from which minute each holds, and whether all ran in every region; or that it is
 * gone or never was.
 */
export type MonitorRevisions =
  | { state: 'known'; everywhere: boolean; revisions: { revision: number; fromMinute: Minute }[] }
  | { state: 'deleted' }
  | { state: 'never existed' };

/** The revisions of each of `monitorIds`, ascending. Ids up to the highest ever given are of deleted monitors. */
export async function readRevisions(
  db: Queryable,
  monitorIds: readonly number[],
): Promise<Map<number, MonitorRevisions>> {
  const { rows } = await db.query<RevisionsRow>(
    `select ids.id, ids.id <= (select last_value from monitors_id_seq) as given,
       count(v.regions) = 0 as everywhere,
       array_agg(v.revision order by v.revision) filter (where v.revision is not null) as revisions,
       array_agg(extract(epoch from v.from_minute)::float8 order by v.revision) filter (where v.revision is not null) as minutes
     from unnest($1::int[]) as ids (id) left join monitor_versions v on v.monitor_id = ids.id group by ids.id`,
    [monitorIds],
  );
  return new Map(rows.map((row) => [row.id, revisionsOf(row)]));
}

interface RevisionsRow {
  id: number;
  given: boolean;
  everywhere: boolean;
  revisions: number[] | null;
  minutes: Minute[] | null;
}

function revisionsOf(row: RevisionsRow): MonitorRevisions {
  if (row.revisions === null || row.minutes === null) return { state: row.given ? 'deleted' : 'never existed' };
  const minutes = row.minutes;
  return {
    state: 'known',
    everywhere: row.everywhere,
    revisions: row.revisions.map((revision, index) => ({ revision, fromMinute: minutes[index] ?? 0 })),
  };
}

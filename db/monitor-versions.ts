import type { Queryable } from './client.ts';

/** What was checked of a monitor, and how it was judged, from a minute on. */
export interface MonitorVersion {
  revision: number;
  /** Unix seconds. */
  from_ts: number;
  active: boolean;
  monitor_type: string;
  cron: string | null;
  type_data: Record<string, unknown>;
  /** Null: majority. */
  quorum: unknown;
  /** Null: every region. */
  regions: string[] | null;
}

/** A monitor's last versions, the newest first. */
export async function listVersions(db: Queryable, monitorId: number, limit: number): Promise<MonitorVersion[]> {
  const { rows } = await db.query<MonitorVersion>(
    `select revision, extract(epoch from from_minute)::int8 as from_ts, active, monitor_type, cron, type_data, quorum,
       regions
     from monitor_versions where monitor_id = $1 order by revision desc limit $2`,
    [monitorId, limit],
  );
  return rows;
}

import type pg from 'pg';
import type { Stored, StoredPoint, StoredResult } from './ledger.ts';

const STATUS = `(array['UNKNOWN', 'UP', 'DEGRADED', 'DOWN'])`;

/** Reads what the database holds of results, points and absences, in one snapshot. */
export async function readStored(pool: pg.Pool): Promise<Stored> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read');
    return await readHere(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** The same inside a transaction. */
export async function readHere(client: pg.PoolClient): Promise<Stored> {
  const results = await client.query<StoredResult>(
    `select r.monitor_id as "monitorId", extract(epoch from r.minute)::float8 as minute, g.name as region,
       r.agent_id as "agentId", r.revision, ${STATUS}[r.status] as status, r.latency_us as "latencyUs", r.error,
       r.sent, r.received
     from check_results r left join regions g on g.id = r.region_id`,
  );
  const points = await client.query<StoredPoint>(
    `select monitor_id as "monitorId", extract(epoch from minute)::float8 as minute, ${STATUS}[status] as status,
       latency_us as "latencyUs", known from data_points`,
  );
  const absences = await client.query<Stored['absences'][number]>(
    `select agent_id as "agentId", extract(epoch from from_minute)::float8 as "from",
       extract(epoch from to_minute)::float8 as "to", reason from absences`,
  );
  return { results: results.rows, points: points.rows, absences: absences.rows };
}

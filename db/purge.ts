import type pg from 'pg';
import { inTransaction } from './client.ts';
import { engineOf } from './engine.ts';
import { TIME_RELATIONS } from './engines/engine.ts';

/**
 * Removes the rows of monitors that were deleted. A transaction that saw the monitor alive may commit rows after the
 * first pass; so a second one follows once all that were under way at the first have ended, and only then is it done.
 * The mark stays: by it every writer knows a deleted monitor, however late. Returns the number of passes made.
 */
export async function purgeDeleted(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ monitor_id: number; again: boolean }>(DUE);
  for (const { monitor_id: monitorId, again } of rows) {
    // Taken before the pass: a transaction that gets its number during it may still have been missed by it.
    if (!again) await pool.query(SET_HORIZON, [monitorId]);
    await removeRows(pool, monitorId);
    if (again) await pool.query('update purges set done = true where monitor_id = $1', [monitorId]);
  }
  return rows.length;
}

const DUE = `
  select monitor_id, horizon is not null as again from purges
  where not done and (horizon is null or pg_snapshot_xmin(pg_current_snapshot()) >= horizon) order by requested_at`;
const SET_HORIZON = `update purges set horizon = pg_snapshot_xmax(pg_current_snapshot()) where monitor_id = $1`;

async function removeRows(pool: pg.Pool, monitorId: number): Promise<void> {
  const engine = await engineOf(pool);
  for (const relation of TIME_RELATIONS) {
    for (const slice of await engine.purgeSlices(pool, relation)) {
      const within = slice ? 'and minute >= to_timestamp($2) and minute < to_timestamp($3)' : '';
      await inTransaction(pool, async (client) => {
        await engine.allowBulkChange(client);
        const values = slice ? [monitorId, slice.from, slice.to] : [monitorId];
        await client.query(`delete from ${relation} where monitor_id = $1 ${within}`, values);
      });
    }
  }
  await pool.query('delete from dirty_hours where monitor_id = $1', [monitorId]);
  await pool.query('delete from data_points_hourly where monitor_id = $1', [monitorId]);
}

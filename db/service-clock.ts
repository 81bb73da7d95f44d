import type { Queryable } from './client.ts';

/** What the one clock says, unix seconds with a fraction. */
export async function readNow(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ now: number }>('select extract(epoch from service_now())::float8 as now');
  const [clock] = rows;
  if (!clock) throw new Error('the database does not tell the time');
  return clock.now;
}

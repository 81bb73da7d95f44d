import type pg from 'pg';
import { HOUR_SECONDS } from '../core/minute.ts';
import { inTransaction, isHeld } from './client.ts';
import { engineOf } from './engine.ts';
import { spanStart } from './engines/engine.ts';
import { lockRolledToAlone, lockRoller } from './locks.ts';

/** How many marks one transaction takes. */
const MARKS = 20_000;
/** At most so many hours join the roll-ups at once: each makes a mark for every monitor, under a lock. */
const ADVANCE_HOURS = 24;
/** Writers of points queue behind an advance that waits, so it does not wait long. */
const ADVANCE_LOCK_TIMEOUT = '500ms';

/**
 * Brings the hourly roll-ups up to date: advances `rolled_to` to the last hour that was swept whole, and recomputes
 * marked hours until none is left. Returns the number of hours recomputed. Where writers keep `rolled_to` busy it is left
 * to the next call.
 */
export async function rollUp(pool: pg.Pool): Promise<number> {
  while (await advanceRolledTo(pool));
  let total = 0;
  for (;;) {
    const { marks, hours } = await recomputeMarked(pool);
    total += hours;
    if (marks < MARKS) return total;
  }
}

/** From here on the hours before the new `rolled_to` count as rolled up, so each is marked for every monitor. */
const ADVANCE = `
with moved as (
  update cursors c set minute = least(date_trunc('hour', s.minute, 'UTC'), c.minute + $1::int * interval '1 hour')
  from cursors s, cursors old
  where c.name = 'rolled_to' and s.name = 'swept_to' and old.name = 'rolled_to'
    and c.minute < date_trunc('hour', s.minute, 'UTC')
  returning old.minute as from_hour, c.minute as to_hour
), marked as (
  insert into dirty_hours (monitor_id, hour)
  select m.id, hour from moved, generate_series(from_hour, to_hour - interval '1 hour', '1 hour') as hour, monitors m
)
select from moved`;

async function advanceRolledTo(pool: pg.Pool): Promise<boolean> {
  try {
    return await inTransaction(pool, async (client) => {
      await client.query(`set local lock_timeout = '${ADVANCE_LOCK_TIMEOUT}'`);
      await lockRolledToAlone(client);
      const { rowCount } = await client.query(ADVANCE, [ADVANCE_HOURS]);
      return rowCount === 1;
    });
  } catch (error) {
    if (isHeld(error)) return false;
    throw error;
  }
}

const TAKE_MARKS = `
delete from dirty_hours where ctid = any (array(select ctid from dirty_hours limit $1))
returning monitor_id, extract(epoch from hour)::int8 as hour`;

/** $1 and $2 are pairs of monitor and unix hour; $3 and $4 bound them. */
const RECOMPUTE = `
insert into data_points_hourly as h
  (monitor_id, hour, up, down, degraded, latency_count, latency_sum, latency_min, latency_max)
select m.monitor_id, to_timestamp(m.at), t.up, t.down, t.degraded, t.latency_count, t.latency_sum, t.latency_min, t.latency_max
from unnest($1::int[], $2::int8[]) as m (monitor_id, at)
cross join lateral (
  select count(*) as total,
    count(*) filter (where status = 2) as up,
    count(*) filter (where status = 4) as down,
    count(*) filter (where status = 3) as degraded,
    count(*) filter (where latency_us > 0) as latency_count,
    coalesce(sum(latency_us), 0) as latency_sum,
    min(latency_us) filter (where latency_us > 0) as latency_min,
    max(latency_us) filter (where latency_us > 0) as latency_max
  from data_points p
  where p.monitor_id = m.monitor_id
    and p.minute >= to_timestamp(m.at) and p.minute < to_timestamp(m.at + ${HOUR_SECONDS})
    and p.minute >= to_timestamp($3) and p.minute < to_timestamp($4)
) t
where t.total > 0
on conflict (monitor_id, hour) do update set up = excluded.up, down = excluded.down, degraded = excluded.degraded,
  latency_count = excluded.latency_count, latency_sum = excluded.latency_sum,
  latency_min = excluded.latency_min, latency_max = excluded.latency_max, changed = excluded.changed`;

async function recomputeMarked(pool: pg.Pool): Promise<{ marks: number; hours: number }> {
  const engine = await engineOf(pool);
  return inTransaction(pool, async (client) => {
    await lockRoller(client);
    await engine.favourLookups(client);
    const { rows } = await client.query<{ monitor_id: number; hour: number }>(TAKE_MARKS, [MARKS]);
    const distinct = new Map(rows.map((mark) => [`${mark.monitor_id} ${mark.hour}`, mark]));
    // One bounded span of time for each statement, so that it plans few partitions.
    for (const marks of bySpan([...distinct.values()])) {
      const hours = marks.map(({ hour }) => hour);
      const low = hours.reduce((a, b) => Math.min(a, b), Infinity);
      const high = hours.reduce((a, b) => Math.max(a, b), -Infinity) + HOUR_SECONDS;
      await client.query(RECOMPUTE, [marks.map(({ monitor_id }) => monitor_id), hours, low, high]);
    }
    return { marks: rows.length, hours: distinct.size };
  });
}

interface Mark {
  monitor_id: number;
  hour: number;
}

function bySpan(marks: readonly Mark[]): Mark[][] {
  const spans = new Map<number, Mark[]>();
  for (const mark of marks) {
    const span = spanStart('data_points', mark.hour);
    const list = spans.get(span);
    if (list) list.push(mark);
    else spans.set(span, [mark]);
  }
  return [...spans.values()];
}

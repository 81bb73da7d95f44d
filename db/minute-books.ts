import type pg from 'pg';
import { parseCron } from '../core/cron.ts';
import type { Minute, MinuteRange } from '../core/minute.ts';
import { maskOf, presenceMasks, type AgentPresence } from '../core/minute-mask.ts';
import { PROBE_KINDS } from '../core/type-data.ts';
import { inTransaction, type Queryable } from './client.ts';
import { engineOf } from './engine.ts';
import { lockBooks } from './locks.ts';

/** The grain of the books. */
export const SLICE_SECONDS = 600;
/** A minute's results are there this long after its end, where all is well. */
const SETTLED_SECONDS = 150;
/** Spools reach back 72 hours: what is missing then stays missing. */
const REVISIT_HOURS = 73;
/** Slices with missing minutes are reckoned again this often, a few in a round. */
const REVISIT_SECONDS = 300;
const REVISITS = 6;
/** Slices in one round, so that a round ends. */
const NEW_SLICES = 36;
const KEEP_DAYS = 90;

/**
 * One round of bookkeeping: reckons every ten minutes that have settled since the last, and again a few of those with
 * missing minutes, for as long as these may come. Any number of collectors may call it; one at a time does the work.
 * Returns the number of slices reckoned.
 */
export async function keepMinuteBooks(pool: pg.Pool): Promise<number> {
  let reckoned = 0;
  while (reckoned < NEW_SLICES && (await reckonNext(pool))) reckoned += 1;
  const { rows } = await pool.query<{ from: Minute }>(REVISITED);
  for (const { from } of rows) if (await reckonAgain(pool, from)) reckoned += 1;
  await pool.query(`delete from minute_books where from_minute < service_now() - interval '${KEEP_DAYS} days'`);
  return reckoned;
}

const REVISITED = `
  select extract(epoch from from_minute)::int8 as "from" from minute_books
  where missing > 0 and from_minute > service_now() - interval '${REVISIT_HOURS} hours'
    and reckoned_at <= service_now() - interval '${REVISIT_SECONDS} seconds'
  group by from_minute order by min(reckoned_at) limit ${REVISITS}`;

async function reckonNext(pool: pg.Pool): Promise<boolean> {
  return underLock(pool, async (client) => {
    const { rows } = await client.query<{ from: Minute }>(
      `select extract(epoch from minute)::int8 as "from" from cursors where name = 'booked_to'
         and minute <= service_now() - interval '${SLICE_SECONDS + SETTLED_SECONDS} seconds'`,
    );
    const [next] = rows;
    if (next === undefined) return false;
    await reckon(client, next.from);
    await client.query(
      `update cursors set minute = minute + interval '${SLICE_SECONDS} seconds' where name = 'booked_to'`,
    );
    return true;
  });
}

function reckonAgain(pool: pg.Pool, from: Minute): Promise<boolean> {
  return underLock(pool, async (client) => {
    await reckon(client, from);
    return true;
  });
}

async function underLock(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<boolean>): Promise<boolean> {
  const engine = await engineOf(pool);
  return inTransaction(pool, async (client) => {
    if (!(await lockBooks(client))) return false;
    await engine.favourLookups(client);
    return work(client);
  });
}

async function reckon(client: pg.PoolClient, from: Minute): Promise<void> {
  const range = { from, to: from + SLICE_SECONDS };
  const crons = await readCrons(client, range);
  const regions = await readRegions(client, range);
  const masks = crons.map((cron) => maskOf(range, parseCron(cron) ?? (() => true)));
  const served = regions.map(({ fromMinute, agents }) => presenceMasks(range, fromMinute, agents));
  await client.query('delete from minute_books where from_minute = to_timestamp($1)', [from]);
  await client.query(RECKON, [
    range.from,
    range.to,
    PROBE_KINDS,
    crons,
    masks.map(String),
    regions.map(({ id }) => id),
    served.map(({ due }) => String(due)),
    served.map(({ present }) => String(present)),
  ]);
}

/**
 * Versions with the minutes that each holds in: the one in force is that with the highest revision among those whose
 * minute has come, so a version ends where any later one begins.
 */
const VERSIONS = `
  select monitor_id, cron, regions, from_minute, to_minute from (
    select v.*, min(from_minute) over (partition by monitor_id order by revision
      rows between 1 following and unbounded following) as to_minute
    from monitor_versions v where from_minute < to_timestamp($2)
  ) v
  where active and monitor_type = any ($3) and coalesce(to_minute, 'infinity') > greatest(from_minute, to_timestamp($1))`;

async function readCrons(client: pg.PoolClient, { from, to }: MinuteRange): Promise<(string | null)[]> {
  const { rows } = await client.query<{ cron: string | null }>(`select distinct cron from (${VERSIONS}) v`, [
    from,
    to,
    PROBE_KINDS,
  ]);
  return rows.map(({ cron }) => cron);
}

interface ServedRegion {
  id: number;
  fromMinute: Minute;
  agents: AgentPresence[];
}

async function readRegions(client: pg.PoolClient, { from, to }: MinuteRange): Promise<ServedRegion[]> {
  const { rows } = await client.query<ServedRegion>(
    `select r.id, extract(epoch from r.from_minute)::float8 as "fromMinute", json_agg(json_build_object(
       'createdAt', extract(epoch from a.created_at), 'revokedAt', extract(epoch from a.revoked_at), 'absences',
       (select coalesce(json_agg(json_build_object('from', extract(epoch from b.from_minute)::int8,
            'to', extract(epoch from b.to_minute)::int8)), '[]')
          from absences b where b.agent_id = a.id and b.from_minute < to_timestamp($2) and b.to_minute > to_timestamp($1)))
       ) as agents
     from regions r join agents a on a.region_id = r.id group by r.id`,
    [from, to],
  );
  return rows;
}

/** Sets of minutes are the bits of a number (core/minute-mask.ts), so that a monitor's slice is one row and one look-up. */
const RECKON = `
with version as (
  select v.*, ((1::int8 << (extract(epoch from least(to_minute, to_timestamp($2)) - to_timestamp($1)) / 60)::int) - 1)
    & ~((1::int8 << (extract(epoch from greatest(from_minute, to_timestamp($1)) - to_timestamp($1)) / 60)::int) - 1) as holds
  from (${VERSIONS}) v
), due as (
  select v.monitor_id, r.id as region_id, bit_or(v.holds & c.mask & r.due) as due, r.present
  from version v
  join unnest($4::text[], $5::int8[]) as c (cron, mask) on c.cron is not distinct from v.cron
  join (unnest($6::int[], $7::int8[], $8::int8[]) as s (id, due, present) join regions g using (id)) as r
    on v.regions is null or r.name = any (v.regions)
  group by v.monitor_id, r.id, r.present
), stored as (
  select m.monitor_id, t.region_id, t.known, t.unknown from (select distinct monitor_id from due where due <> 0) m
  cross join lateral (
    select region_id,
      coalesce(bit_or(1::int8 << (date_part('epoch', minute - to_timestamp($1)) / 60)::int) filter (where status <> 1), 0) as known,
      coalesce(bit_or(1::int8 << (date_part('epoch', minute - to_timestamp($1)) / 60)::int) filter (where status = 1), 0) as unknown
    from check_results r
    where r.monitor_id = m.monitor_id and r.minute >= to_timestamp($1) and r.minute < to_timestamp($2) group by region_id
  ) t
), reckoned as (
  select d.region_id, d.due, d.due & coalesce(s.known, 0) as known, d.due & coalesce(s.unknown, 0) as unknown,
    d.due & ~(coalesce(s.known, 0) | coalesce(s.unknown, 0)) as nothing, d.present
  from due d left join stored s using (monitor_id, region_id)
)
insert into minute_books (region_id, from_minute, due, known, unknown, absent, missing, reckoned_at)
select region_id, to_timestamp($1), sum(bit_count(due::bit(64))), sum(bit_count(known::bit(64))),
  sum(bit_count(unknown::bit(64))), sum(bit_count((nothing & ~present)::bit(64))),
  sum(bit_count((nothing & present)::bit(64))), service_now()
from reckoned where due <> 0 group by region_id`;

/** What became of a region's minutes over a while: monitor minutes. */
export interface MinuteBook {
  region: string;
  due: number;
  known: number;
  unknown: number;
  absent: number;
  missing: number;
}

/** The books of the last `hours` hours, as far as they have been kept; every region is among them. */
export async function readMinuteBooks(
  db: Queryable,
  hours: number,
): Promise<{ bookedTo: Minute; books: MinuteBook[] }> {
  const sums = ['due', 'known', 'unknown', 'absent', 'missing'].map(
    (name) => `coalesce(sum(${name}), 0)::int8 as ${name}`,
  );
  const books = await db.query<MinuteBook>(
    `select r.name as region, ${sums.join(', ')} from regions r
     left join minute_books b on b.region_id = r.id and b.from_minute >= service_now() - $1 * interval '1 hour'
     group by r.name order by r.name`,
    [hours],
  );
  const { rows } = await db.query<{ to: Minute }>(
    `select extract(epoch from minute)::int8 as "to" from cursors where name = 'booked_to'`,
  );
  return { bookedTo: rows[0]?.to ?? 0, books: books.rows };
}

/** Statements of db/consolidate.ts. */

/** A minute's points are made at the latest this long after its start, with the regions that have answered. */
export const RIPE_SECONDS = 75;
/** A region whose agents have all been silent this long is not waited for. */
const SILENT = '10 minutes';

/**
 * `consolidate` of core/consolidate.ts, for many pairs in one statement; test/integration/db holds the two together.
 * $1 monitor ids and $2 minutes (unix seconds / 60) are pairs, each given once; $3 and $4 bound the minutes, so that only
 * their partitions are planned. Reads every known result of the pairs and makes the points of those that are ripe by the
 * database's clock. What is looked up for many at once is looked up by an array of keys, and results by a lateral: that
 * keeps to the indexes, whatever the planner believes of a relation that has just begun to fill. A minute before a
 * monitor's first rule is judged by its newest.
 *
 * Codes: status 1 UNKNOWN, 2 UP, 3 DEGRADED, 4 DOWN; origin 1 REALTIME, 2 API, 5 MANUAL. Origins are gathered as bits.
 */
const among = (regionIds: string): string =>
  `array(select g.id from region g where g.id = any (${regionIds}) and g.name = any (v.regions))`;
const POINTS = `
with clock as materialized (
  select service_now() as now, (select minute from cursors where name = 'swept_to') as swept_to
), region as materialized (
  select r.id, r.name, r.from_minute, max(coalesce(a.revoked_at, 'infinity')) as enrolled_to,
    bool_or(a.revoked_at is null and a.last_seen > (select now from clock) - interval '${SILENT}') as live
  from regions r join agents a on a.region_id = r.id group by r.id
), frame as materialized (
  select minute, monitor_ids, minute <= now - interval '${RIPE_SECONDS} seconds' or minute < swept_to as aged,
    array(select id from region where from_minute <= minute and enrolled_to > minute) as running,
    array(select id from region where from_minute <= minute and live) as awaited
  from (
    select to_timestamp(60 * count::float8) as minute, array_agg(monitor_id) as monitor_ids
    from unnest($1::int[], $2::int[]) as given (monitor_id, count) group by count
  ) as minutes, clock
), rule as materialized (
  select distinct on (f.minute, v.monitor_id) f.minute, v.monitor_id, v.active, f.aged, v.quorum, v.regions,
    case when v.regions is null then f.running else ${among('f.running')} end as running,
    case when v.regions is null then f.awaited else ${among('f.awaited')} end as awaited
  from frame f join monitor_versions v on v.monitor_id = any (f.monitor_ids)
  order by f.minute, v.monitor_id, v.from_minute <= f.minute desc, v.revision desc
), ripe as (
  select p.monitor_id, p.minute, p.quorum, t.*, t.known - t.down as reached,
    cardinality(p.running) + t.others as runs_in
  from rule p
  cross join lateral (
    select count(*)::int as known,
      count(*) filter (where r.status = 2)::int as up, count(*) filter (where r.status = 4)::int as down,
      count(*) filter (where r.region_id = any (p.awaited)) as arrived,
      count(*) filter (where r.region_id <> all (p.running))::int as others,
      sum(r.latency_us) as latency, sum(r.latency_us) filter (where r.status <> 4) as reached_latency,
      bit_or(1 << r.origin) as origins, bit_or(1 << r.origin) filter (where r.status = 4) as down_origins
    from check_results r
    where r.monitor_id = p.monitor_id and r.minute = p.minute
      and r.minute >= to_timestamp($3) and r.minute < to_timestamp($4) and r.status <> 1
      and (p.regions is null or exists (select from region g where g.id = r.region_id and g.name = any (p.regions)))
  ) t
  where p.active and t.known > 0 and (p.aged or t.arrived = cardinality(p.awaited))
), judged as (
  select r.*, case
      when up = known then 2
      when down > 0 and down >= case
          when quorum is null then greatest(known / 2 + 1, least(2, runs_in))
          when quorum = '"any"' then 1
          when jsonb_typeof(quorum) = 'number' then least((quorum #>> '{}')::numeric, runs_in)
          else greatest(case when quorum = '"all"' then known else known / 2 + 1 end, least(2, runs_in))
        end then 4
      else 3
    end as status
  from ripe r
), point as materialized (
  select monitor_id, minute, status, known, case
      when reached > 0 then (2 * coalesce(reached_latency, 0) + reached) / (2 * reached)
      else (2 * coalesce(latency, 0) + known) / (2 * known)
    end as latency_us, case case when status = 4 then down_origins else origins end
      when 1 << 1 then 1
      when 1 << 2 then 2
      when 1 << 3 then 3
      when 1 << 4 then 4
      else case when case when status = 4 then down_origins else origins end & (1 << 2) <> 0 then 2 else 1 end
    end as origin
  from judged
)`;

const INTO_TABLE = `
insert into data_points as d (monitor_id, minute, status, origin, latency_us, known)
select p.monitor_id, p.minute, p.status, p.origin, p.latency_us, p.known from point p`;
/** Ascending, so that two writers never wait for each other. */
const IN_ORDER = `
order by p.monitor_id, p.minute`;

/**
 * For minutes that no sweep has been at: their points do not stand, but for one that was written by hand or made before
 * a region came back, over which it fails (23505); and no hour of theirs is rolled up. A conflict clause would cost as
 * much as the insertion itself.
 */
export const MAKE_POINTS = POINTS + INTO_TABLE + IN_ORDER;

/**
 * For any minutes: writes where that changes something, and marks hours that are already rolled up. A point that was
 * written by hand stays; so does one made of more regions than still have a result (retention has removed some). Most
 * stand already: asking first is cheaper than a conflict, which locks and so rewrites the row it meets.
 */
export const CORRECT_POINTS = `${POINTS}, written as (${INTO_TABLE}
left join lateral (
  select status, origin, latency_us, known from data_points d
  where d.monitor_id = p.monitor_id and d.minute = p.minute
    and d.minute >= to_timestamp($3) and d.minute < to_timestamp($4)
  limit 1
) d on true
where d.known is null or (d.origin <> 5 and p.known >= d.known
  and (d.status, d.origin, d.latency_us, d.known) is distinct from (p.status, p.origin, p.latency_us, p.known))
${IN_ORDER}
on conflict (monitor_id, minute) do update
  set status = excluded.status, origin = excluded.origin, latency_us = excluded.latency_us, known = excluded.known
  where d.origin <> 5 and excluded.known >= d.known and (d.status, d.origin, d.latency_us, d.known)
    is distinct from (excluded.status, excluded.origin, excluded.latency_us, excluded.known)
returning d.monitor_id, d.minute
)
insert into dirty_hours (monitor_id, hour)
select distinct monitor_id, date_trunc('hour', minute, 'UTC') from written
where minute < (select minute from cursors where name = 'rolled_to')`;

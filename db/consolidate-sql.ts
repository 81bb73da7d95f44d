/** Statements of db/consolidate.ts. */

/** A minute's points are made at the latest this long after its start, with the regions that have answered. */
export const RIPE_SECONDS = 75;
/** A region whose agents have all been silent this long is not waited for. */
const SILENT = '10 minutes';

/**
 * `consolidate` of core/consolidate.ts, for many pairs in one statement; test/integration/db holds the two together.
 * $1 monitor ids and $2 unix minutes are pairs; $3 and $4 bound the minutes, so that only their partitions are planned.
 * Reads every known result of the pairs, makes the points of those that are ripe by the database's clock, writes where
 * that changes something, and marks hours that are already rolled up. A point that was written by hand stays; so does
 * one made of more regions than still have a result (retention has removed some). Laterals keep it at one index look-up
 * per pair and relation, whatever the planner believes of a relation that has just begun to fill.
 *
 * Codes: status 1 UNKNOWN, 2 UP, 3 DEGRADED, 4 DOWN; origin 1 REALTIME, 2 API, 5 MANUAL. Origins are gathered as bits.
 */
const POINTS = `
with clock as materialized (
  select service_now() as now,
    (select minute from cursors where name = 'swept_to') as swept_to,
    (select minute from cursors where name = 'rolled_to') as rolled_to
), region as materialized (
  select r.id, r.name, r.from_minute, max(coalesce(a.revoked_at, 'infinity')) as enrolled_to,
    bool_or(a.revoked_at is null and a.last_seen > (select now from clock) - interval '${SILENT}') as live
  from regions r join agents a on a.region_id = r.id group by r.id
), frame as materialized (
  select at, to_timestamp(at) as minute,
    to_timestamp(at) <= now - interval '${RIPE_SECONDS} seconds' or to_timestamp(at) < swept_to as aged,
    array(select id from region where from_minute <= to_timestamp(at) and enrolled_to > to_timestamp(at)) as running,
    array(select id from region where from_minute <= to_timestamp(at) and live) as awaited
  from (select distinct at from unnest($2::int8[]) as at) as minutes, clock
), pair as (
  select p.monitor_id, f.minute, f.aged, f.running, f.awaited, v.quorum, v.regions
  from unnest($1::int[], $2::int8[]) as p (monitor_id, at)
  join frame f on f.at = p.at
  left join lateral (
    select active, regions, quorum from monitor_versions v
    where v.monitor_id = p.monitor_id and v.from_minute <= f.minute order by revision desc limit 1
  ) v on true
  where v.active is distinct from false
), ripe as (
  select p.monitor_id, p.minute, p.quorum, t.*, t.known - t.down as reached, case
      when p.regions is null and t.known_regions <@ p.running then cardinality(p.running)
      else (
        select count(*)::int from regions g
        where (p.regions is null or g.name = any (p.regions))
          and (g.id = any (t.known_regions) or g.id = any (p.running)))
    end as runs_in
  from pair p
  cross join lateral (
    select count(*)::int as known,
      count(*) filter (where r.status = 2)::int as up, count(*) filter (where r.status = 4)::int as down,
      sum(r.latency_us) as latency, sum(r.latency_us) filter (where r.status <> 4) as reached_latency,
      bit_or(1 << r.origin) as origins, bit_or(1 << r.origin) filter (where r.status = 4) as down_origins,
      array_agg(r.region_id) as known_regions
    from check_results r
    where r.monitor_id = p.monitor_id and r.minute = p.minute
      and r.minute >= to_timestamp($3) and r.minute < to_timestamp($4) and r.status <> 1
      and (p.regions is null or exists (select from regions g where g.id = r.region_id and g.name = any (p.regions)))
  ) t
  where t.known > 0 and (p.aged or case
      when p.regions is null then p.awaited <@ t.known_regions
      else not exists (
        select from region w where w.id = any (p.awaited) and w.name = any (p.regions) and w.id <> all (t.known_regions))
    end)
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
), written as (
  insert into data_points as d (monitor_id, minute, status, origin, latency_us, known)
  select p.monitor_id, p.minute, p.status, p.origin, p.latency_us, p.known
  from point p`;

const WRITE = `
  order by p.monitor_id, p.minute
  on conflict (monitor_id, minute) do update
    set status = excluded.status, origin = excluded.origin, latency_us = excluded.latency_us, known = excluded.known
    where d.origin <> 5 and excluded.known >= d.known and (d.status, d.origin, d.latency_us, d.known)
      is distinct from (excluded.status, excluded.origin, excluded.latency_us, excluded.known)
  returning d.monitor_id, d.minute
)
insert into dirty_hours (monitor_id, hour)
select distinct w.monitor_id, date_trunc('hour', w.minute, 'UTC') from written w cross join clock
where w.minute < clock.rolled_to`;

/**
 * Where most points stand already, as in a sweep, asking first is cheaper than a conflict, which locks and so rewrites
 * the row it meets.
 */
const UNLESS_IT_STANDS = `
  left join lateral (
    select status, origin, latency_us, known from data_points d
    where d.monitor_id = p.monitor_id and d.minute = p.minute
      and d.minute >= to_timestamp($3) and d.minute < to_timestamp($4)
    limit 1
  ) d on true
  where d.known is null or (d.origin <> 5 and p.known >= d.known
    and (d.status, d.origin, d.latency_us, d.known) is distinct from (p.status, p.origin, p.latency_us, p.known))`;

/** Reads before it writes: for pairs most of which have their point already. */
export const CONSOLIDATE_MANY_STANDING = POINTS + UNLESS_IT_STANDS + WRITE;
/** Writes and meets what stands: for pairs most of which are new. */
export const CONSOLIDATE_MANY_NEW = POINTS + WRITE;

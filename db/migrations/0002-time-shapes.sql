-- What grows with time. The two big relations get their shape here and their storage from the engine (db/engines):
-- hypertables where TimescaleDB is, range partitions where it is not. No foreign keys from them: a check of each row
-- would cost more than the row.

-- One region's view of one monitor and minute. Codes are those of core/outcome.ts; times are whole microseconds.
-- The key holds a minute's regions side by side, since that is how consolidation reads them.
create table check_results_shape (
  minute timestamptz not null,
  monitor_id integer not null,
  agent_id integer not null,
  revision integer not null,
  latency_us integer,
  min_us integer,
  avg_us integer,
  max_us integer,
  deviation_us integer,
  region_id smallint not null,
  status smallint not null check (status between 1 and 4),
  origin smallint not null check (origin between 1 and 4),
  cause smallint not null check (cause between 1 and 4),
  sent smallint,
  received smallint,
  error text,
  primary key (monitor_id, minute, region_id)
);

-- The true point of a monitor and minute. `known`: of how many regions' known answers it was made; 0 where written.
-- The key carries what /data serves, so that a year is read from the index alone, whatever order rows came in.
create table data_points_shape (
  minute timestamptz not null,
  monitor_id integer not null,
  latency_us integer not null check (latency_us >= 0),
  status smallint not null check (status between 2 and 4),
  origin smallint not null check (origin between 1 and 5),
  known smallint not null,
  primary key (monitor_id, minute) include (latency_us, status, origin)
);

-- Exact counts of the points of an hour. Latencies count where something answered (above zero).
create table data_points_hourly (
  monitor_id integer not null,
  hour timestamptz not null,
  up smallint not null,
  down smallint not null,
  degraded smallint not null,
  latency_count smallint not null,
  latency_sum bigint not null,
  latency_min integer,
  latency_max integer,
  primary key (monitor_id, hour)
);

-- Hours whose roll-up is no longer true. Append-only and without a unique key: two writers must not wait for each
-- other, and a mark made while the roller computes must survive it.
create table dirty_hours (
  monitor_id integer not null,
  hour timestamptz not null
);
create index on dirty_hours (monitor_id, hour);

-- swept_to: every minute before it was consolidated after its 75 seconds. rolled_to: hours before it are rolled up or
-- marked dirty; later ones are read from points.
create table cursors (
  name text primary key,
  minute timestamptz not null
);
insert into cursors (name, minute) values
  ('swept_to', date_trunc('minute', now(), 'UTC')),
  ('rolled_to', date_trunc('hour', now(), 'UTC'));

-- The one clock. A test that needs another time replaces this function in its own database.
create function service_now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;

-- Deleted monitors, for ever: ids are never given again. Until it is done their rows are still to be removed. The second
-- pass waits until every transaction that may have seen the monitor alive has ended: those with an id below `horizon`.
create table purges (
  monitor_id integer primary key,
  requested_at timestamptz not null default now(),
  horizon xid8,
  done boolean not null default false
);
create index on purges (requested_at) where not done;

create function record_purge() returns trigger language plpgsql as $$
begin
  insert into purges (monitor_id) values (old.id);
  perform pg_notify('farwatch_purges', old.id::text);
  return null;
end $$;
create trigger record_purge after delete on monitors for each row execute function record_purge();

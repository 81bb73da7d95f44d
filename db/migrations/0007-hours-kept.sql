-- Pages read a monitor's hours side by side and from the key alone, whatever order they were rolled up in.
alter table data_points_hourly drop constraint data_points_hourly_pkey,
  add primary key (monitor_id, hour)
    include (up, down, degraded, latency_count, latency_sum, latency_min, latency_max);

-- The transaction that wrote a row last. Who keeps counts of hours asks for what was written since (db/count-book.ts).
-- One roller works at a time and takes its number after its lock, so a later one has a higher number.
alter table data_points_hourly add column changed xid8 not null default pg_current_xact_id();
create index on data_points_hourly (changed);

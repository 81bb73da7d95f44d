-- TimescaleDB: hypertables, compressed when late data is no longer to be expected. Data points have long chunks, since
-- a query over a year takes locks on every chunk it touches.
create table check_results (like check_results_shape including all);
create table data_points (like data_points_shape including all);
drop table check_results_shape, data_points_shape;
select create_hypertable('check_results', by_range('minute', interval '1 day'), create_default_indexes => false);
select create_hypertable('data_points', by_range('minute', interval '30 days'), create_default_indexes => false);
alter table check_results set (timescaledb.compress, timescaledb.compress_segmentby = 'monitor_id, region_id',
  timescaledb.compress_orderby = 'minute');
alter table data_points set (timescaledb.compress, timescaledb.compress_segmentby = 'monitor_id',
  timescaledb.compress_orderby = 'minute');
insert into system (key, value) values ('engine', 'timescale');

-- Plain PostgreSQL: range partitions, made by housekeeping and on demand. No default partition: it would have to be
-- scanned, under a lock that stops all ingest, whenever a partition is attached.
create table check_results (like check_results_shape including all) partition by range (minute);
create table data_points (like data_points_shape including all) partition by range (minute);
drop table check_results_shape, data_points_shape;
insert into system (key, value) values ('engine', 'partitions');

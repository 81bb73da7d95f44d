-- The list over all maintenances, cut by status.
create index on maintenance_events (status, start_date_time, id);

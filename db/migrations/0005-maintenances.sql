-- Maintenances and their windows. Seconds are UTC Unix seconds, as the interface specification has them.

create table maintenances (
  id integer primary key generated always as identity,
  title text not null check (title <> ''),
  description text,
  start_date_time bigint not null check (start_date_time % 60 = 0),
  rrule text not null,
  duration_seconds integer not null check (duration_seconds > 0),
  -- Whose wall clock the rule is read by.
  timezone text not null default 'UTC',
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  -- Whether it was written without monitors, as with incidents.
  is_global boolean not null,
  -- The first occurrence for which no event was made yet: all before it were made, or never will be. So none that was
  -- moved, cancelled or deleted comes again while the schedule stands. Null: the rule has ended.
  next_start bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on maintenances (next_start) where status = 'ACTIVE';

create table maintenance_monitors (
  maintenance_id integer not null references maintenances (id) on delete cascade,
  monitor_id integer not null references monitors (id) on delete cascade,
  impact text not null check (impact in ('UP', 'DOWN', 'DEGRADED', 'MAINTENANCE')),
  position integer not null,
  primary key (maintenance_id, monitor_id)
);
create index on maintenance_monitors (monitor_id);

-- Who writes events holds the row of their maintenance, so that edits, the horizon and the clock come one after another.
create table maintenance_events (
  id integer primary key generated always as identity,
  maintenance_id integer not null references maintenances (id) on delete cascade,
  -- What the occurrence is known by, wherever it was moved to.
  original_start bigint not null,
  start_date_time bigint not null check (start_date_time % 60 = 0),
  end_date_time bigint not null check (end_date_time > start_date_time),
  status text not null check (status in ('SCHEDULED', 'READY', 'ONGOING', 'COMPLETED', 'CANCELLED')),
  -- The second in which it was cancelled: it counts up to there.
  cancelled_at bigint check (cancelled_at is not null or status <> 'CANCELLED'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (maintenance_id, original_start)
);
create index on maintenance_events (maintenance_id, start_date_time, id);
create index on maintenance_events (start_date_time, id);
-- What the clock moves on.
create index on maintenance_events (start_date_time) where status in ('SCHEDULED', 'READY');
create index on maintenance_events (end_date_time) where status in ('SCHEDULED', 'READY', 'ONGOING');

-- Incidents with their comments, and pages. Seconds are UTC Unix seconds, as the interface specification has them.

create table incidents (
  id integer primary key generated always as identity,
  title text not null check (title <> ''),
  start_date_time bigint not null check (start_date_time % 60 = 0),
  end_date_time bigint check (end_date_time % 60 = 0),  -- null: open
  state text not null check (state in ('INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED')),
  incident_type text not null default 'INCIDENT',
  incident_source text not null check (incident_source in ('API', 'MANUAL', 'ALERT')),
  -- Whether it was written without monitors. One whose monitors were all deleted since is not: it may have named only
  -- hidden ones, and must not become everybody's.
  is_global boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on incidents (start_date_time);
create index on incidents (end_date_time);

create table incident_monitors (
  incident_id integer not null references incidents (id) on delete cascade,
  monitor_id integer not null references monitors (id) on delete cascade,
  impact text not null check (impact in ('UP', 'DOWN', 'DEGRADED', 'MAINTENANCE')),
  position integer not null,
  primary key (incident_id, monitor_id)
);
create index on incident_monitors (monitor_id);

create table incident_comments (
  id integer primary key generated always as identity,
  incident_id integer not null references incidents (id) on delete cascade,
  comment text not null check (comment <> ''),
  timestamp bigint not null check (timestamp % 60 = 0),
  state text not null check (state in ('INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED')),
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'DELETED')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on incident_comments (incident_id, timestamp desc, id desc);

-- An alert of a monitor, and the incident it opened.
create table monitor_alerts (
  id integer primary key generated always as identity,
  monitor_id integer not null references monitors (id) on delete cascade,
  incident_id integer references incidents (id) on delete set null,
  alert_for text not null check (alert_for in ('STATUS', 'LATENCY', 'UPTIME')),
  alert_value text not null,
  alert_status text not null check (alert_status in ('TRIGGERED', 'RESOLVED')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on monitor_alerts (monitor_id);
create index on monitor_alerts (incident_id);

create table pages (
  id integer primary key generated always as identity,
  page_path text not null unique check (page_path = '~home' or page_path ~ '^[a-z0-9_-]+$'),
  page_title text not null check (page_title <> ''),
  page_header text not null check (page_header <> ''),
  page_subheader text,
  page_logo text,
  -- What has been set; what has not is filled in from the defaults where it is read.
  page_settings jsonb not null default '{}' check (jsonb_typeof(page_settings) = 'object'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
insert into pages (page_path, page_title, page_header) values ('~home', 'Status', 'Status');

create table page_monitors (
  page_id integer not null references pages (id) on delete cascade,
  monitor_id integer not null references monitors (id) on delete cascade,
  position integer not null,
  primary key (page_id, monitor_id)
);
create index on page_monitors (monitor_id);

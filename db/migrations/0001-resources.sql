-- The small tables: one row per thing. Names and enum values are those of the interface specification.

create table system (
  key text primary key,
  value text not null
);
-- One life of the database. A dump restored to an earlier time must get another (see docs).
insert into system (key, value) values ('epoch', gen_random_uuid()::text);

create table regions (
  id smallint primary key generated always as identity,
  name text not null unique check (name ~ '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$'),
  -- The first minute in which the region's monitors are due.
  from_minute timestamptz not null,
  created_at timestamptz not null default now()
);

create table agents (
  id integer primary key generated always as identity,
  region_id smallint not null references regions (id),
  name text not null unique check (name <> ''),
  token_hash bytea not null unique,
  version text,
  last_seen timestamptz,
  status jsonb not null default '{}',
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

-- Minutes in which an agent was stopped, asleep or unborn, as it said itself on its return.
create table absences (
  agent_id integer not null references agents (id),
  from_minute timestamptz not null,
  to_minute timestamptz not null check (to_minute > from_minute),
  reason text not null,
  recorded_at timestamptz not null default now(),
  primary key (agent_id, from_minute)
);

create table monitors (
  id integer primary key generated always as identity,
  tag text not null unique check (tag ~ '^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$'),
  name text not null check (name <> ''),
  description text,
  image text,
  cron text,
  default_status text check (default_status in ('UP', 'DOWN', 'DEGRADED')),
  status text check (status in ('ACTIVE', 'INACTIVE')),
  category_name text,
  monitor_type text not null,
  type_data jsonb not null default '{}' check (jsonb_typeof(type_data) = 'object'),
  include_degraded_in_downtime text not null check (include_degraded_in_downtime in ('YES', 'NO')),
  is_hidden text not null check (is_hidden in ('YES', 'NO')),
  monitor_settings_json jsonb check (jsonb_typeof(monitor_settings_json) = 'object'),
  external_url text,
  confirmation_threshold smallint not null default 1 check (confirmation_threshold between 1 and 60),
  -- Grows with every change of what is checked or how it is judged, see monitor_versions.
  revision integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Which rule judges which minute, also for data that comes 72 hours late: the version in force in a minute is the one
-- with the highest revision among those whose from_minute is not after it.
create table monitor_versions (
  monitor_id integer not null references monitors (id) on delete cascade,
  revision integer not null,
  from_minute timestamptz not null,
  active boolean not null,
  monitor_type text not null,
  cron text,
  type_data jsonb not null,
  quorum jsonb,    -- null: majority
  regions text[],  -- null: every region
  primary key (monitor_id, revision)
);
create index on monitor_versions (from_minute);

-- A planned change holds from the next minute that has not begun anywhere: agents hear of it within a second, so one
-- that is made in a minute's last two seconds waits for the minute after.
create function next_minute() returns timestamptz language sql volatile as
  $$ select date_trunc('minute', clock_timestamp() + interval '2 seconds', 'UTC') + interval '1 minute' $$;

create function version_monitor() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or (new.status, new.monitor_type, new.cron, new.type_data,
      new.monitor_settings_json -> 'quorum', new.monitor_settings_json -> 'regions')
    is distinct from (old.status, old.monitor_type, old.cron, old.type_data,
      old.monitor_settings_json -> 'quorum', old.monitor_settings_json -> 'regions')
  then
    new.revision := case tg_op when 'INSERT' then 1 else old.revision + 1 end;
  else
    new.revision := old.revision;
  end if;
  return new;
end $$;

create function record_monitor_version() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.revision = old.revision then
    return null;
  end if;
  insert into monitor_versions (monitor_id, revision, from_minute, active, monitor_type, cron, type_data, quorum, regions)
  values (new.id, new.revision, next_minute(), new.status is not distinct from 'ACTIVE', new.monitor_type, new.cron,
    new.type_data, nullif(new.monitor_settings_json -> 'quorum', 'null'),
    case when jsonb_typeof(new.monitor_settings_json -> 'regions') = 'array'
      then array(select jsonb_array_elements_text(new.monitor_settings_json -> 'regions')) end);
  perform pg_notify('farwatch_definitions', new.id::text);
  return null;
end $$;

create function notify_monitor_deleted() returns trigger language plpgsql as $$
begin
  perform pg_notify('farwatch_definitions', old.id::text);
  return null;
end $$;

create trigger version_monitor before insert or update on monitors
  for each row execute function version_monitor();
create trigger record_monitor_version after insert or update on monitors
  for each row execute function record_monitor_version();
create trigger notify_monitor_deleted after delete on monitors
  for each row execute function notify_monitor_deleted();

create function notify_agents() returns trigger language plpgsql as $$
begin
  perform pg_notify('farwatch_agents', coalesce(new.id, old.id)::text);
  return null;
end $$;
create trigger notify_agent_enrolled after insert or delete or update of revoked_at on agents
  for each row execute function notify_agents();

create table api_keys (
  id integer primary key generated always as identity,
  name text not null unique check (name <> ''),
  key_hash bytea not null unique,
  masked_key text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Runs on demand: the api asks by a row, the collector that holds a stream of an able agent takes it and answers in it.
-- Both sides are told by notifications, and read the rows where they may have missed one.

create table check_requests (
  id bigint primary key generated always as identity,
  definition text not null,                   -- JSON of a probe: {"kind": ..., "config": ...}
  region_id smallint references regions (id), -- null: any region
  requested_at timestamptz not null default service_now(),
  expires_at timestamptz not null,
  claimed_at timestamptz,
  agent_id integer references agents (id),    -- who runs it, or ran it
  -- One of both, once it is answered. Text, since JSON may say NUL where jsonb does not.
  report text,
  failure text,
  answered_at timestamptz check (answered_at is null or (report is null) <> (failure is null))
);
create index on check_requests (expires_at);

create function notify_check_request() returns trigger language plpgsql as $$
begin
  perform pg_notify('farwatch_check_requests', new.id::text);
  return null;
end $$;
create trigger notify_check_request after insert on check_requests
  for each row execute function notify_check_request();

create function notify_check_answer() returns trigger language plpgsql as $$
begin
  perform pg_notify('farwatch_check_answers', new.id::text);
  return null;
end $$;
create trigger notify_check_answer after update of answered_at on check_requests
  for each row execute function notify_check_answer();

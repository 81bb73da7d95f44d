-- The answers of requests that carried an Idempotency-Key, each written in the transaction of what its request did: both
-- stand, or neither. Whoever repeats a request waits here for the first one's end.

create table kept_answers (
  -- Whose request it was. Not a reference: what a deleted key was answered goes with time, like all others.
  api_key_id integer not null,
  idempotency_key text not null check (length(idempotency_key) between 1 and 255),
  -- SHA-256 of what was asked: another request under the same key is refused.
  request_hash bytea not null,
  -- Null only inside the transaction that finds the answer.
  status smallint,
  body text,
  created_at timestamptz not null default now(),
  primary key (api_key_id, idempotency_key)
);
create index on kept_answers (created_at);

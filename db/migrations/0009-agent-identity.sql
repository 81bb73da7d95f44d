-- An agent is known by the public key of its certificate; until now it was by a token. Agents of that time are enrolled anew.
alter table agents drop column token_hash;
alter table agents
  -- sha256 of the public key (SPKI). Null: not enrolled, it cannot connect.
  add column key_hash bytea unique check (length(key_hash) = 32),
  -- Its public nkey as a user of NATS.
  add column nats_user text unique,
  -- Until when the last credentials it was given are good.
  add column credentials_until timestamptz;

-- One agent each may be enrolled by these, until they expire. Only a hash of the secret is kept.
create table agent_invitations (
  secret_hash bytea primary key,
  region text not null check (region ~ '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$'),
  name text not null check (name <> ''),
  expires_at timestamptz not null,
  -- Who used it.
  agent_id integer references agents (id),
  created_at timestamptz not null default now()
);

-- Who may do what. What the built-in roles permit is the programs' (core/permissions.ts); rows hold custom roles' only.

create table roles (
  id text primary key check (id ~ '^[a-z0-9_-]{1,64}$'),
  name text not null check (name <> ''),
  description text,
  is_builtin boolean not null default false,
  created_at timestamptz not null default service_now(),
  updated_at timestamptz not null default service_now()
);
insert into roles (id, name, description, is_builtin) values
  ('admin', 'Admin', 'Everything', true),
  ('editor', 'Editor', 'Everything but deleting API keys', true),
  ('member', 'Member', 'Sees everything, changes nothing', true);

create table role_permissions (
  role_id text not null references roles (id) on delete cascade,
  permission text not null,
  primary key (role_id, permission)
);

create table users (
  id integer primary key generated always as identity,
  -- Lowercase, so that one person has one account.
  email text not null unique check (email = lower(email)),
  name text not null check (name <> ''),
  -- Null: invited, and no password set yet.
  password_hash text,
  is_active boolean not null,
  is_owner boolean not null default false,
  created_at timestamptz not null default service_now(),
  updated_at timestamptz not null default service_now()
);
create unique index users_one_owner on users (is_owner) where is_owner;

create table user_roles (
  user_id integer not null references users (id) on delete cascade,
  role_id text not null references roles (id) on delete cascade,
  primary key (user_id, role_id)
);
create index on user_roles (role_id);

-- Only hashes of tokens are stored, here as with keys.
create table sessions (
  id integer primary key generated always as identity,
  user_id integer not null references users (id) on delete cascade,
  token_hash bytea not null unique,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default service_now(),
  last_used_at timestamptz not null default service_now(),
  expires_at timestamptz not null
);
create index on sessions (user_id);

-- Links that are good once: an invitation or a new password for a user, or the set-up of the first one.
create table one_time_links (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('INVITE', 'RESET', 'SETUP')),
  user_id integer references users (id) on delete cascade,
  created_at timestamptz not null default service_now(),
  expires_at timestamptz not null,
  check ((user_id is null) = (purpose = 'SETUP'))
);
create index on one_time_links (user_id);

-- Browsers that have signed a user in before: strangers who guess at an account do not shut them out.
create table known_devices (
  token_hash bytea primary key,
  user_id integer not null references users (id) on delete cascade,
  created_at timestamptz not null default service_now(),
  expires_at timestamptz not null
);
create index on known_devices (user_id);

-- Attempts to sign in, counted for every copy of the API together. A subject is a hash: of an account, an address, …
create table login_attempts (
  subject bytea primary key,
  attempts integer not null,
  window_ends_at timestamptz not null
);

create table site_data (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default service_now()
);

alter table api_keys add role_id text not null default 'admin' references roles (id);

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool } from '../../../db/client.ts';
import { migrate } from '../../../db/migrate.ts';
import { findServerProblems } from '../../../db/server-check.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('the server that the tests run on is fit', async () => {
  expect(await findServerProblems(database.pool)).toEqual([]);
});

test('a server that is too old or has too small a lock table is refused before anything is changed', async () => {
  // A schema before the system's own, with a current_setting that answers as another server would.
  await database.pool.query('create schema other');
  await database.pool.query(`create function other.current_setting(name text) returns text language sql as $$
    select case name when 'server_version_num' then '140011' when 'server_version' then '14.11'
      when 'max_locks_per_transaction' then '10' else pg_catalog.current_setting(name) end $$`);
  const { rows } = await database.pool.query<{ name: string }>('select current_database() as name');
  await database.pool.query(`alter database ${rows[0]?.name ?? ''} set search_path = other, pg_catalog, public`);
  const pool = openPool({ url: database.url, name: 'other', max: 1, statementTimeoutMs: 0 });
  try {
    const problems = await findServerProblems(pool);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain('PostgreSQL 15 or newer is needed, this is 14.11');
    expect(problems[1]).toContain('set max_locks_per_transaction to 256');
    await expect(migrate(pool)).rejects.toThrow(/not fit/);
  } finally {
    await pool.end();
  }
});

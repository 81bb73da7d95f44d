import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { openPool } from '../../../db/client.ts';
import { engineOf } from '../../../db/engine.ts';
import { migrate } from '../../../db/migrate.ts';
import { createTestDatabase } from '../../support/database.ts';
import { administer, databaseUrl } from '../../support/database-server.ts';

test('three programs that start at once migrate an empty database once, and find it done afterwards', async () => {
  const { adminUrl } = inject('databaseServer');
  const name = `farwatch_migrate_${randomBytes(4).toString('hex')}`;
  await administer(adminUrl, `create database ${name}`);
  const url = databaseUrl(adminUrl, name);
  const pools = [1, 2, 3].map(() => openPool({ url, name: 'migrate', max: 1, statementTimeoutMs: 0 }));
  try {
    const applied = await Promise.all(pools.map((pool) => migrate(pool)));
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    expect(applied.flat()).toEqual([...new Set(applied.flat())].sort());
    expect(await Promise.all(pools.map((pool) => migrate(pool)))).toEqual([[], [], []]);
    expect(['timescale', 'partitions']).toContain((await engineOf(pools[0] ?? expect.fail())).name);
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
    await administer(adminUrl, `drop database ${name} with (force)`);
  }
});

test('a program waits for the migration of another for longer than its statements may take', async () => {
  const database = await createTestDatabase();
  const pool = openPool({ url: database.url, name: 'm', max: 1, statementTimeoutMs: 300, answerTimeoutMs: 600 });
  const other = await database.pool.connect();
  try {
    await other.query('begin; select pg_advisory_xact_lock(7261001)');
    const migrated = migrate(pool).catch((error: unknown) => error);
    await wait(1200);
    await other.query('commit');
    expect(await migrated).toEqual([]);
  } finally {
    other.release();
    await pool.end();
    await database.drop();
  }
});

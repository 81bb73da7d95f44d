import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { openPool } from '../../../db/client.ts';
import { engineOf } from '../../../db/engine.ts';
import { migrate } from '../../../db/migrate.ts';
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

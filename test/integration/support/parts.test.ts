import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { startNats } from '../../support/nats.ts';

const databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
afterAll(() => Promise.all(databases.map((database) => database.drop())));

test('every test database is migrated and knows nothing of the other', async () => {
  const [one, other] = databases;
  await one?.pool.query(`insert into regions (name, from_minute) values ('eu', now())`);
  const { rowCount } = (await other?.pool.query('select from regions')) ?? {};
  expect(rowCount).toBe(0);
});

test('a nats-server comes back on its port after it was killed', async () => {
  const nats = await startNats();
  try {
    const first = nats.pid;
    await nats.kill9();
    expect(await accepts(nats.url)).toBe(false);
    await nats.restart();
    expect(await accepts(nats.url)).toBe(true);
    expect(nats.pid).not.toBe(first);
  } finally {
    await nats.stop();
  }
});

function accepts(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.end());
  });
}

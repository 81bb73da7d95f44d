import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { listen, type Notice } from '../../../db/notifications.ts';
import { startProxy } from '../../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let end: AbortController;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  end = new AbortController();
});
afterEach(() => end.abort());

function hear(url: string): { next: () => Promise<Notice | undefined>; trouble: Error[] } {
  const trouble: Error[] = [];
  const notices = listen({
    url,
    name: 'listener under test',
    channels: ['farwatch_purges', 'other'],
    signal: end.signal,
    onTrouble: (error) => trouble.push(error),
  });
  return { trouble, next: async () => (await notices.next()).value as Notice | undefined };
}

const notify = (channel: string, payload: string): Promise<unknown> =>
  database.pool.query('select pg_notify($1, $2)', [channel, payload]);

test('a listener hears that it is connected and then every notification, in order', async () => {
  const { next } = hear(database.url);
  expect(await next()).toEqual({ kind: 'connected' });
  await notify('farwatch_purges', '7');
  await notify('other', '');
  expect(await next()).toEqual({ kind: 'notified', channel: 'farwatch_purges', payload: '7' });
  expect(await next()).toEqual({ kind: 'notified', channel: 'other', payload: '' });
});

test('a broken connection is made anew, says so, and hears on', async () => {
  const { next, trouble } = hear(database.url);
  await next();
  const again = next();
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'listener under test'`,
  );
  expect(await again).toEqual({ kind: 'connected' });
  expect(trouble).toHaveLength(1);
  await notify('other', 'after');
  expect(await next()).toMatchObject({ payload: 'after' });
});

test('who leads and falls silent leads no more, and another does', { timeout: 40_000 }, async () => {
  const proxy = await startProxy(database.url);
  const lead = (url: string, silenceMs: number) =>
    listen({ url, name: 'leader', channels: ['other'], leaderLock: 7_000_001, silenceMs, signal: end.signal });
  const first = lead(proxy.url, 6000);
  const second = lead(database.url, 30_000);
  try {
    expect((await first.next()).value).toEqual({ kind: 'connected' });
    expect((await first.next()).value).toEqual({ kind: 'leading' });
    expect((await second.next()).value).toEqual({ kind: 'connected' });
    const takenOver = second.next();
    proxy.freeze();
    expect((await takenOver).value).toEqual({ kind: 'leading' });
  } finally {
    end.abort();
    await proxy.close();
  }
});

test('the end of the signal ends the iteration', async () => {
  const { next } = hear(database.url);
  await next();
  const last = next();
  end.abort();
  expect(await last).toBeUndefined();
});

test('a connection pooler is refused by name, since nothing would ever be heard through it', async () => {
  const pooler = await standInForPooler(new URL(database.url));
  try {
    const url = new URL(database.url);
    url.host = `127.0.0.1:${(pooler.address() as AddressInfo).port}`;
    await expect(hear(url.href).next()).rejects.toThrow(/pooler/);
  } finally {
    pooler.close();
  }
});

/** Passes everything on, but greets with a process id of its own, as poolers do (BackendKeyData, protocol 3.0). */
async function standInForPooler(target: URL): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('data', (data) => {
      const at = data.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
      if (at >= 0) data.writeInt32BE(1, at + 5);
      client.write(data);
    });
    client.on('data', (data) => upstream.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

test('deleting a monitor notifies those who purge', async () => {
  const { next } = hear(database.url);
  await next();
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into monitors (tag, name, monitor_type, include_degraded_in_downtime, is_hidden)
     values ('gone', 'gone', 'TCP', 'NO', 'NO') returning id`,
  );
  await database.pool.query('delete from monitors');
  expect(await next()).toEqual({ kind: 'notified', channel: 'farwatch_purges', payload: String(rows[0]?.id) });
});

import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Kvm } from '@nats-io/kv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../../core/definition.ts';
import { createAgent } from '../../../db/agents.ts';
import {
  decodeDefinition,
  decodeManifest,
  hashDefinitions,
  MANIFEST_KEY,
  type StoredDefinition,
} from '../../../proto/kv.ts';
import { readSnapshot } from '../../../proto/kv-snapshot.ts';
import { startTestCollector, type TestCollector } from '../../support/collector.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { contentOf } from '../../../proto/signed-value.ts';
import { testSigner } from '../../support/test-identity.ts';

let database: TestDatabase;
let nats: TestNats;
let collectors: TestCollector[];
let bus: NatsConnection;

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
  bus = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  await enrol('eu-1', 'eu');
  await database.pool.query(`update regions set from_minute = from_minute - interval '1 day'`);
  collectors = [await startTestCollector(database.url, nats.url)];
});
afterAll(async () => {
  for (const collector of collectors) await collector.stop();
  await bus.close();
  await nats.stop();
  await database.drop();
});

async function enrol(name: string, region: string): Promise<void> {
  const created = await createAgent(database.pool, name, region);
  if ('problem' in created) throw new Error(created.problem);
}

async function monitor(tag: string, settings: object | null = null): Promise<number> {
  const typeData = { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80, timeout: 1000 }] };
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into monitors (tag, name, status, monitor_type, type_data, include_degraded_in_downtime, is_hidden, monitor_settings_json)
     values ($1, $1, 'ACTIVE', 'TCP', $2, 'NO', 'NO', $3) returning id`,
    [tag, JSON.stringify(typeData), settings === null ? null : JSON.stringify(settings)],
  );
  return rows[0]?.id ?? 0;
}

interface Contents {
  manifest: Manifest | null;
  definitions: Map<number, StoredDefinition>;
  keys: string[];
}

/** What an agent would find in a region's bucket. */
async function contents(region: string): Promise<Contents> {
  const found: Contents = { manifest: null, definitions: new Map(), keys: [] };
  try {
    const kv = await new Kvm(bus).open(region);
    for (const entry of await readSnapshot(kv)) {
      if (entry.operation !== 'PUT') continue;
      found.keys.push(entry.key);
      if (entry.key === MANIFEST_KEY) found.manifest = decodeManifest(contentOf(entry.string()));
      const stored = decodeDefinition(entry.key, contentOf(entry.string()));
      if (stored !== null) found.definitions.set(stored.monitorId, stored);
    }
  } catch {
    // No such bucket yet, or the server is just away: nothing found.
  }
  return found;
}

/** The bucket, once it is whole (equal to its manifest) and as `check` wants it. */
async function adopted(
  region: string,
  what: string,
  limitMs: number,
  check: (found: Contents) => boolean,
): Promise<Contents> {
  return eventually(`${what} in ${region}`, limitMs, async () => {
    const found = await contents(region);
    const revisions = [...found.definitions.values()].map(({ monitorId, revision }) => [monitorId, revision] as const);
    const whole = found.manifest?.hash === hashDefinitions(revisions) && found.manifest.count === revisions.length;
    return whole && check(found) ? found : null;
  });
}

const revisionOf = (found: Contents, id: number): number => found.definitions.get(id)?.revision ?? 0;

describe('a region bucket', () => {
  it('holds a new monitor within a second, equal to its manifest', async () => {
    await adopted('eu', 'the empty set', 10_000, () => true);
    const id = await monitor('new');
    const begun = Date.now();
    const found = await adopted('eu', 'the monitor', 5000, (now) => revisionOf(now, id) === 1);
    expect(Date.now() - begun).toBeLessThan(1000);
    const [version] = found.definitions.get(id)?.definition?.versions ?? [];
    expect(version).toMatchObject({
      revision: 1,
      cron: null,
      probe: { kind: 'TCP', config: { hosts: [{ port: 80 }] } },
    });
    expect(version?.fromMinute).toBeGreaterThan(begun / 1000 - 60);
  });

  it('follows a change with both versions, the one in force and the planned one', async () => {
    const id = await monitor('changed');
    await database.pool.query(
      `update monitor_versions set from_minute = from_minute - interval '1 hour' where monitor_id = $1`,
      [id],
    );
    await database.pool.query(`update monitors set cron = '*/5 * * * *' where id = $1`, [id]);
    const found = await adopted('eu', 'the change', 5000, (now) => revisionOf(now, id) === 2);
    expect(found.definitions.get(id)?.definition?.versions).toMatchObject([
      { revision: 1, cron: null },
      { revision: 2, cron: '*/5 * * * *' },
    ]);
  });

  it('keeps a paused monitor, without a probe, until its pause has held for a minute', async () => {
    const id = await monitor('paused');
    await adopted('eu', 'the monitor', 5000, (now) => revisionOf(now, id) === 1);
    await database.pool.query(`update monitors set status = 'INACTIVE' where id = $1`, [id]);
    const found = await adopted('eu', 'the pause', 5000, (now) => revisionOf(now, id) === 2);
    expect(found.definitions.get(id)?.definition?.versions.at(-1)).toMatchObject({ revision: 2, probe: null });
    await database.pool.query(
      `update monitor_versions set from_minute = from_minute - interval '5 minutes' where monitor_id = $1`,
      [id],
    );
    await database.pool.query(`select pg_notify('farwatch_definitions', $1)`, [String(id)]);
    await adopted('eu', 'the end of the pause', 5000, (now) => !now.definitions.has(id));
  });

  it('loses a deleted monitor, and a newer manifest says so', async () => {
    const id = await monitor('deleted');
    const before = await adopted('eu', 'the monitor', 5000, (now) => now.definitions.has(id));
    await database.pool.query('delete from monitors where id = $1', [id]);
    const after = await adopted('eu', 'the deletion', 5000, (now) => !now.definitions.has(id));
    expect(after.manifest?.generation).toBeGreaterThan(before.manifest?.generation ?? Infinity);
  });

  it('never holds a monitor of a type without a probe', async () => {
    await database.pool.query(
      `insert into monitors (tag, name, status, monitor_type, include_degraded_in_downtime, is_hidden) values ('api', 'api', 'ACTIVE', 'API', 'NO', 'NO')`,
    );
    const later = await monitor('after-api');
    const found = await adopted('eu', 'the later monitor', 5000, (now) => now.definitions.has(later));
    expect(found.definitions.has(later - 1)).toBe(false);
  });

  it('is made for a new region, and holds only the monitors that run there', async () => {
    const everywhere = await monitor('everywhere');
    const elsewhere = await monitor('elsewhere', { regions: ['eu'] });
    await enrol('ap-1', 'ap');
    const found = await adopted('ap', 'the monitor', 5000, (now) => now.definitions.has(everywhere));
    expect(found.definitions.has(elsewhere)).toBe(false);
    await database.pool.query(`update monitors set monitor_settings_json = '{"regions": ["ap"]}' where id = $1`, [
      elsewhere,
    ]);
    await adopted('ap', 'the moved monitor', 5000, (now) => revisionOf(now, elsewhere) === 2);
    const left = await adopted('eu', 'its end', 5000, (now) => revisionOf(now, elsewhere) === 2);
    expect(left.definitions.get(elsewhere)?.definition?.versions.at(-1)?.probe).toBeNull();
  });

  it('is made again within seconds where it was deleted, with a higher generation', async () => {
    const before = await adopted('eu', 'the set', 5000, (now) => now.definitions.size > 0);
    const kv = await new Kvm(bus).open('eu');
    await kv.destroy();
    const after = await adopted('eu', 'the set', 10_000, (now) => now.definitions.size === before.definitions.size);
    expect(after.manifest?.generation).toBeGreaterThan(before.manifest?.generation ?? Infinity);
  });

  it('is repaired within seconds where someone wrote into it', async () => {
    const id = await monitor('overwritten');
    await adopted('eu', 'the monitor', 5000, (now) => now.definitions.has(id));
    const kv = await new Kvm(bus).open('eu');
    await kv.put(`m.${id}`, '{"forged":true}');
    await kv.put('m.999999', '{}');
    await kv.put('stray', 'x');
    const found = await adopted(
      'eu',
      'the repaired set',
      10_000,
      (now) => revisionOf(now, id) === 1 && now.keys.length === now.definitions.size + 1,
    );
    expect(found.keys).not.toContain('stray');
  });

  it('is repaired within seconds where something unsigned or misplaced stands in it, however new it says to be', async () => {
    const id = await monitor('forged');
    const found = await adopted('eu', 'the monitor', 5000, (now) => now.definitions.has(id));
    const kv = await new Kvm(bus).open('eu');
    const stored = found.definitions.get(id)?.definition;
    const ahead = { ...stored?.versions[0], revision: 9 };
    const value = { v: 1, epoch: found.manifest?.epoch, monitorId: id, revision: 9, versions: [ahead] };
    await kv.put(`m.${id}`, JSON.stringify(value));
    await adopted('eu', 'the repaired set', 10_000, (now) => revisionOf(now, id) === 1);
    await kv.put(`m.${id}`, testSigner.seal('us', `m.${id}`, JSON.stringify(value)));
    await adopted('eu', 'the repaired set', 10_000, (now) => revisionOf(now, id) === 1);
    const manifest = { v: 1, ...found.manifest, generation: 9_999_999_999_999 };
    await kv.put('manifest', `\n${JSON.stringify(manifest)}`);
    const after = await adopted(
      'eu',
      'the manifest',
      10_000,
      (now) => (now.manifest?.generation ?? 0) < 9_999_999_999_999,
    );
    expect(after.manifest?.count).toBe(found.manifest?.count);
  });

  it('is never lowered: a revision beyond the database stays', async () => {
    const id = await monitor('ahead');
    const found = await adopted('eu', 'the monitor', 5000, (now) => now.definitions.has(id));
    const stored = found.definitions.get(id)?.definition;
    const kv = await new Kvm(bus).open('eu');
    const ahead = { ...stored?.versions[0], revision: 9 };
    const value = { v: 1, epoch: found.manifest?.epoch, monitorId: id, revision: 9, versions: [ahead] };
    await kv.put(`m.${id}`, testSigner.seal('eu', `m.${id}`, JSON.stringify(value)));
    await adopted('eu', 'a manifest that says so', 10_000, (now) => revisionOf(now, id) === 9);
  });

  it('is written anew in another life of the database, revisions lower than before included', async () => {
    const id = await monitor('another-life');
    await adopted('eu', 'the monitor', 5000, (now) => now.definitions.has(id));
    await database.pool.query(`update system set value = 'life-2' where key = 'epoch'`);
    await collectors.pop()?.stop();
    collectors.push(await startTestCollector(database.url, nats.url));
    const found = await adopted('eu', 'the new epoch', 10_000, (now) => now.manifest?.epoch === 'life-2');
    for (const stored of found.definitions.values()) expect(stored.epoch).toBe('life-2');
    expect([...found.definitions.values()].every(({ revision }) => revision < 9)).toBe(true);
  });

  it('comes back after the server lost everything', async () => {
    const before = await adopted('eu', 'the set', 5000, (now) => now.definitions.size > 0);
    const jsm = await jetstreamManager(bus);
    for (const region of ['eu', 'ap']) await jsm.streams.delete(`KV_${region}`);
    await nats.restart();
    for (const region of ['eu', 'ap']) await adopted(region, 'the set', 15_000, (now) => now.definitions.size > 0);
    expect((await contents('eu')).definitions.size).toBe(before.definitions.size);
  });

  it('follows changes after the server was killed and came back', async () => {
    await nats.kill9();
    const id = await monitor('while-away');
    await nats.restart();
    await adopted('eu', 'the monitor', 15_000, (now) => now.definitions.has(id));
  });

  it('follows changes after the listening connection was cut', async () => {
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'farwatch-collector-notices'`,
    );
    const id = await monitor('after-cut');
    await adopted('eu', 'the monitor', 15_000, (now) => now.definitions.has(id));
  });
});

describe('two collectors', () => {
  it('hand leading over when the leader stops', async () => {
    const second = await startTestCollector(database.url, nats.url);
    await collectors.pop()?.stop();
    collectors.push(second);
    const id = await monitor('handed-over');
    await adopted('eu', 'the monitor', 15_000, (now) => now.definitions.has(id));
  });
});

it('nothing that ran has failed', () => {
  for (const collector of collectors) expect(collector.failures).toEqual([]);
});

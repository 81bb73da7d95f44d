import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Kvm, type KV } from '@nats-io/kv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BucketConflict,
  openDefinitionsBucket,
  type DefinitionsBucket,
} from '../../../collector/definitions-bucket.ts';
import type { Definition } from '../../../core/definition.ts';
import { tcpTypeData } from '../../../core/type-data.ts';
import { decodeDefinition, decodeManifest, hashDefinitions, MANIFEST_KEY } from '../../../proto/kv.ts';
import { readSnapshot } from '../../../proto/kv-snapshot.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { contentOf } from '../../../proto/signed-value.ts';
import { testSigner } from '../../support/test-identity.ts';

let nats: TestNats;
let bus: NatsConnection;

beforeAll(async () => {
  nats = await startNats();
  bus = await connect({ servers: nats.url });
});
afterAll(async () => {
  await bus.close();
  await nats.stop();
});

const config = tcpTypeData.parse({ hosts: [{ host: '127.0.0.1' }] });
const definition = (monitorId: number, revision: number): Definition => ({
  monitorId,
  versions: [{ revision, fromMinute: 60, cron: null, probe: { kind: 'TCP', config } }],
});

/** What a database would say, with writers that take a while to do what they read. */
function setOf(size: number) {
  const revisions = new Map(Array.from({ length: size }, (_, index) => [index + 1, 1]));
  const read = async (ids: readonly number[] | null) => {
    const wanted = [...revisions].filter(([id]) => ids === null || ids.includes(id));
    return {
      epoch: 'life',
      nowMs: Date.now(),
      definitions: wanted.map(([id, revision]) => definition(id, revision)),
      unreadable: [],
    };
  };
  return { revisions, read };
}

const bucketFor = (region: string, read: ReturnType<typeof setOf>['read']): DefinitionsBucket =>
  openDefinitionsBucket(new Kvm(bus), { region, read, signer: testSigner, logger: createLogger('test', 'silent') });

async function contents(region: string) {
  const kv: KV = await new Kvm(bus).open(region);
  const entries = (await readSnapshot(kv)).filter(({ operation }) => operation === 'PUT');
  const revisions = new Map<number, number>();
  for (const entry of entries) {
    const stored = decodeDefinition(entry.key, contentOf(entry.string()));
    if (stored !== null) revisions.set(stored.monitorId, stored.revision);
  }
  const manifest = decodeManifest(contentOf(entries.find(({ key }) => key === MANIFEST_KEY)?.string() ?? ''));
  return { kv, revisions, manifest };
}

describe('a bucket', () => {
  it('takes 10,000 definitions in a few seconds, and compares them again without writing one', async () => {
    const { revisions, read } = setOf(10_000);
    const bucket = bucketFor('large', read);
    const begun = performance.now();
    expect(await bucket.makeEqual()).toBe(10_001);
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(await bucket.makeEqual()).toBe(0);
    expect(await bucket.isUntouched()).toBe(true);
    const found = await contents('large');
    expect(found.manifest).toMatchObject({ epoch: 'life', count: 10_000, hash: hashDefinitions(revisions) });
  });

  it('is patched where a monitor changed, and only there', async () => {
    const { revisions, read } = setOf(50);
    const bucket = bucketFor('patched', read);
    await bucket.makeEqual();
    revisions.set(7, 2);
    revisions.delete(8);
    revisions.set(51, 1);
    // Three keys and the manifest.
    expect(await bucket.patch([7, 8, 51])).toBe(4);
    const found = await contents('patched');
    expect(found.revisions).toEqual(revisions);
    expect(found.manifest?.hash).toBe(hashDefinitions(revisions));
    expect(await bucket.isUntouched()).toBe(true);
  });

  it('is not lowered by a database that has gone back', async () => {
    const { revisions, read } = setOf(3);
    revisions.set(2, 4);
    const bucket = bucketFor('gone-back', read);
    await bucket.makeEqual();
    revisions.set(2, 3);
    expect(await bucket.patch([2])).toBe(0);
    expect(await bucket.makeEqual()).toBe(0);
    expect((await contents('gone-back')).revisions.get(2)).toBe(4);
  });

  it('takes a monitor again that had left', async () => {
    const { revisions, read } = setOf(3);
    const bucket = bucketFor('again', read);
    await bucket.makeEqual();
    revisions.delete(2);
    await bucket.patch([2]);
    revisions.set(2, 5);
    await expect(bucket.patch([2])).rejects.toBeInstanceOf(BucketConflict);
    await bucket.makeEqual();
    expect((await contents('again')).revisions).toEqual(revisions);
  });

  it('refuses the writes of a leader that slept while another wrote', async () => {
    const { revisions, read } = setOf(5);
    let release = (): void => undefined;
    let asleep = false;
    const sleepy = bucketFor('asleep', async (ids) => {
      const answer = await read(ids);
      if (asleep) await new Promise<void>((resolve) => (release = resolve));
      return answer;
    });
    await sleepy.makeEqual();
    revisions.set(3, 2);
    asleep = true;
    const late = sleepy.patch([3]);
    revisions.set(3, 3);
    await bucketFor('asleep', read).makeEqual();
    release();
    await expect(late).rejects.toBeInstanceOf(BucketConflict);
    const found = await contents('asleep');
    expect(found.revisions.get(3)).toBe(3);
    expect(found.manifest?.hash).toBe(hashDefinitions(revisions));
    expect(await sleepy.isUntouched()).toBe(false);
  });

  it('is never lowered and ends equal, however two writers race', async () => {
    const { revisions, read } = setOf(30);
    const writers = [bucketFor('raced', read), bucketFor('raced', read)];
    const highest = new Map<number, number>();
    const kv = await new Kvm(bus).create('raced');
    const watcher = await kv.watch({ key: 'm.*' });
    let lowered = 0;
    const watching = (async () => {
      for await (const entry of watcher) {
        const stored = decodeDefinition(entry.key, contentOf(entry.string()));
        if (stored === null) continue;
        if (stored.revision < (highest.get(stored.monitorId) ?? 0)) lowered++;
        highest.set(stored.monitorId, stored.revision);
      }
    })();
    const race = async (bucket: DefinitionsBucket, parity: number): Promise<void> => {
      await settle(bucket);
      for (let round = 0; round < 60; round++) {
        const id = 1 + ((round * 7 + parity * 3) % 30);
        revisions.set(id, (revisions.get(id) ?? 0) + 1);
        await bucket.patch([id]).catch(async (error: unknown) => {
          if (!(error instanceof BucketConflict)) throw error;
          await settle(bucket);
        });
      }
      await settle(bucket);
    };
    await Promise.all(writers.map(race));
    await settle(writers[0]);
    watcher.stop();
    await watching;
    const found = await contents('raced');
    expect(lowered).toBe(0);
    expect(found.revisions).toEqual(revisions);
    expect(found.manifest).toMatchObject({ count: 30, hash: hashDefinitions(revisions) });
  });

  /** Compares until nobody else wrote in between. */
  async function settle(bucket: DefinitionsBucket | undefined): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt++) {
      try {
        await bucket?.makeEqual();
        return;
      } catch (error) {
        if (!(error instanceof BucketConflict)) throw error;
      }
    }
    throw new Error('never came to rest');
  }
});

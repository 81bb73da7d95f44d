import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runBus } from '../../../agent/bus.ts';
import type { Definition } from '../../../core/definition.ts';
import { createDefinitionsFile } from '../../../agent/definitions-file.ts';
import { DefinitionsFollower, type FollowerOptions } from '../../../agent/definitions.ts';
import type { DefinitionSet, Snapshot } from '../../../agent/definition-set.ts';
import { inboxPrefixOf } from '../../../proto/definition-requests.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { eventually } from '../../support/eventually.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { openRegionBucket, type RegionBucket } from '../../support/region-bucket.ts';
import { version } from '../../support/schedule-world.ts';
import { testDefinitionsKey, testSigner } from '../../support/test-identity.ts';
import { createValueSigner } from '../../../proto/signed-value.ts';
import { encodeDefinition, encodeManifest, hashDefinitions } from '../../../proto/kv.ts';
import { generateKeyPairSync } from 'node:crypto';

const logger = createLogger('agent', 'silent');
let nats: TestNats;
let bucket: RegionBucket;
let end: AbortController;
let following: Promise<void>[];
let adopted: { set: DefinitionSet; snapshot: Snapshot }[];

beforeAll(async () => {
  nats = await startNats();
});

afterAll(() => nats.stop());

beforeEach(async () => {
  bucket = await openRegionBucket(nats.url, 'eu');
  await bucket.recreate();
  end = new AbortController();
  following = [];
  adopted = [];
});

afterEach(async () => {
  end.abort();
  await Promise.all(following);
  await bucket.close();
});

function follow(options: Partial<FollowerOptions> = {}): DefinitionsFollower {
  const follower = new DefinitionsFollower({
    ...{ region: 'eu', agentId: 1 },
    adopted: null,
    definitionsKey: () => testDefinitionsKey,
    onAdopt: (set, snapshot) => adopted.push({ set, snapshot }),
    logger,
    patienceMs: 1000,
    peekMs: 1000,
    ...options,
  });
  const credentials = { inboxPrefix: inboxPrefixOf(1) };
  following.push(runBus({ natsUrl: nats.url, region: 'eu', credentials, logger }, [follower], end.signal));
  return follower;
}

function definitions(count: number, revision = 1): Definition[] {
  return Array.from({ length: count }, (_, index) => ({ monitorId: index + 1, versions: [version(revision, 0)] }));
}

function generation(): number | undefined {
  return adopted.at(-1)?.set.manifest.generation;
}

async function adoptsGeneration(wanted: number, limitMs = 15_000): Promise<void> {
  await eventually(
    () => `generation ${wanted}, it is ${generation()}`,
    limitMs,
    () => generation() === wanted,
  );
}

describe('a follower of definitions', () => {
  it('adopts the set it finds and each change as a whole, within a second', async () => {
    await bucket.publish(definitions(1000), 1);
    follow();
    await adoptsGeneration(1);
    expect(adopted.map(({ set }) => set.definitions.size)).toEqual([1000]);
    const startedMs = performance.now();
    await bucket
      .publish(definitions(1, 2), 2)
      .then(() => bucket.putManifest([...definitions(1, 2), ...definitions(1000).slice(1)], 2));
    await adoptsGeneration(2);
    expect(performance.now() - startedMs).toBeLessThan(1500);
    expect(adopted.at(-1)?.set.definitions.get(1)?.revision).toBe(2);
  });

  it('takes a missing key or manifest as no news, and stops a monitor when a newer manifest says so', async () => {
    await bucket.publish(definitions(3), 1);
    const follower = follow({ patienceMs: 60_000, peekMs: 60_000 });
    await adoptsGeneration(1);
    await bucket.remove('m.3');
    await bucket.remove('manifest');
    await bucket.publish(definitions(3).slice(0, 1), 0);
    expect(follower.adopted?.definitions.size).toBe(3);
    await bucket.putManifest(definitions(2), 2);
    await adoptsGeneration(2);
    expect(follower.adopted?.definitions.size).toBe(2);
  });

  it('finds the bucket again after it was deleted and made anew, which a live watch never shows', async () => {
    await bucket.publish(definitions(3), 1);
    follow();
    await adoptsGeneration(1);
    await bucket.recreate();
    await bucket.publish(definitions(4), 2);
    await adoptsGeneration(2);
    expect(adopted.at(-1)?.set.definitions.size).toBe(4);
  });

  it('goes on after the server was killed and started again', async () => {
    await bucket.publish(definitions(3), 1);
    const follower = follow();
    await adoptsGeneration(1);
    await nats.kill9();
    await eventually('that it says so', 15_000, () => follower.problems().join().includes('NATS is away'));
    expect(follower.adopted?.definitions.size).toBe(3);
    await nats.restart();
    await eventually('the bucket', 15_000, () =>
      bucket.publish(definitions(5), 2).then(
        () => true,
        () => false,
      ),
    );
    await adoptsGeneration(2);
    await eventually('that all is well', 15_000, () => follower.problems().length === 0);
  });

  it('starts before its server does, and before its bucket exists', async () => {
    await bucket.close();
    await nats.kill9();
    const follower = follow();
    await eventually('that it says so', 15_000, () => follower.problems().join().includes('NATS'));
    await nats.restart();
    bucket = await openRegionBucket(nats.url, 'eu');
    await bucket.publish(definitions(2), 9);
    await adoptsGeneration(9);
  });

  it('says so when a set does not come to equal its manifest, and adopts it when it does', async () => {
    await bucket.publish(definitions(2), 1);
    await bucket.putManifest(definitions(3), 1);
    const follower = follow();
    await eventually('the problem', 15_000, () => follower.problems().join().includes('not adopted'));
    expect(adopted).toEqual([]);
    await bucket.publish(definitions(3), 2);
    await adoptsGeneration(2);
    await eventually('that all is well', 15_000, () => follower.problems().length === 0);
  });

  it('runs the others when one definition is garbage, says of that one that it cannot, and runs it when it is mended', async () => {
    await bucket.publish(definitions(3), 1);
    await bucket.putSigned('m.2', 'garbage');
    const follower = follow();
    await adoptsGeneration(1);
    const problemOf = (id: number): unknown => follower.adopted?.definitions.get(id)?.problem;
    expect([1, 2, 3].map(problemOf)).toEqual([null, 'its value cannot be read', null]);
    expect(follower.problems()).toEqual(['definition of monitor 2 cannot be run: its value cannot be read']);
    await bucket.publish(definitions(3), 1);
    await eventually('that all is well', 15_000, () => follower.problems().length === 0);
    expect(problemOf(2)).toBeNull();
  });

  it.each<[string, string]>([
    ['is of a form to come', JSON.stringify({ v: 2, epoch: 'epoch-1', monitorId: 2, revision: 1, versions: [] })],
    ['is of a kind to come', versionsOf([{ ...version(1, 0), probe: { kind: 'QUANTUM', config: {} } }])],
    [
      'asks for what nobody can',
      versionsOf([{ ...version(1, 0), probe: { kind: 'TCP', config: { hosts: [{ port: -1 }] } } }]),
    ],
    ['is empty', ''],
    ['is cut off', versionsOf([version(1, 0)]).slice(0, 40)],
    ['is a list', '[]'],
    ['is another monitor', versionsOf([version(1, 0)], 3)],
    ['is nested without end', '['.repeat(50_000)],
    ['is as long as may be', `${versionsOf([version(1, 0)]).slice(0, -1)},"x":"${'x'.repeat(900_000)}"`],
  ])('goes on with the others when one definition %s', async (_, content) => {
    await bucket.publish(definitions(3), 1);
    await bucket.putSigned('m.2', content);
    const follower = follow({ patienceMs: 300 });
    await adoptsGeneration(1);
    expect([1, 3].map((id) => follower.adopted?.definitions.get(id)?.definition)).not.toContain(null);
    expect(follower.adopted?.definitions.get(2)).toMatchObject({ definition: null });
    expect(follower.problems().join()).toMatch(/^definition of monitor 2 cannot be run: .+/);
    expect(adopted.at(-1)?.set.definitions.size).toBe(3);
  });

  it('refuses what was signed once and is replayed, value or manifest, and goes on with what it has', async () => {
    const follower = follow();
    await bucket.publish(definitions(2, 2), 2);
    await adoptsGeneration(2);
    await bucket.publish(definitions(2, 1), 1);
    await eventually('that it says so', 15_000, () => follower.problems().join().includes('not adopted'));
    expect(follower.adopted?.manifest.generation).toBe(2);
    expect(follower.adopted?.definitions.get(1)?.revision).toBe(2);
    await bucket.publish(definitions(2, 3), 3);
    await adoptsGeneration(3);
    await eventually('that all is well', 15_000, () => follower.problems().length === 0);
  });

  it('forgets what nobody signed when it is gone', async () => {
    await bucket.publish(definitions(1), 1);
    const follower = follow();
    await adoptsGeneration(1);
    for (let number = 2; number < 300; number += 1) await bucket.put(`m.${number}`, 'x'.repeat(1000));
    await eventually('that it says so, bounded', 15_000, () => follower.problems().length === 100);
    for (let number = 2; number < 300; number += 1) await bucket.remove(`m.${number}`);
    await eventually('that all is well', 15_000, () => follower.problems().length === 0);
    expect(follower.adopted?.definitions.size).toBe(1);
  });
});

function versionsOf(versions: object[], monitorId = 2): string {
  return JSON.stringify({ v: 1, epoch: 'epoch-1', monitorId, revision: 1, versions });
}

describe('the copy of the definitions', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'farwatch-definitions-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is what the next start begins with, for its own region, and nobody else can read it', async () => {
    const path = join(folder, 'definitions.json');
    const file = createDefinitionsFile(path, 'eu');
    expect(await file.load()).toBeNull();
    await bucket.publish(definitions(3), 4);
    await bucket.putSigned('m.2', JSON.stringify({ v: 99, epoch: 'epoch-1', monitorId: 2, revision: 1 }));
    follow();
    await adoptsGeneration(4);
    const [first] = adopted;
    if (first !== undefined) await file.save(first.snapshot);
    expect(await createDefinitionsFile(path, 'eu').load()).toEqual(first?.set);
    expect(await createDefinitionsFile(path, 'us').load()).toBeNull();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, '{"region":"eu"');
    expect(await createDefinitionsFile(path, 'eu').load()).toBeNull();
  });

  it('refuses what is unsigned, signed by another or for another place, says so, and goes on with what it has', async () => {
    const follower = follow();
    await bucket.publish(definitions(2), 1);
    await eventually('the set', 10_000, () => follower.adopted?.definitions.size === 2);
    const forged = encodeDefinition('epoch-1', { monitorId: 2, versions: [version(7, 0)] });
    const stranger = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const values = {
      unsigned: forged,
      'signed by another': createValueSigner(stranger).seal('eu', 'm.2', forged),
      'of another region': testSigner.seal('us', 'm.2', forged),
      'of another key': testSigner.seal('eu', 'm.1', forged),
      'changed after it was signed': testSigner.seal('eu', 'm.2', forged).replace('"revision":7', '"revision":8'),
    };
    for (const [what, value] of Object.entries(values)) {
      await bucket.put('m.2', value);
      const problem = 'what stands under m.2 is not signed for that place';
      await eventually(what, 10_000, () => follower.problems().includes(problem));
      expect(follower.adopted?.definitions.get(2)?.revision).toBe(1);
      await bucket.publish(definitions(2), 1);
      await eventually('no problem', 10_000, () => !follower.problems().includes(problem));
    }
    await bucket.put(
      'manifest',
      encodeManifest({ epoch: 'epoch-1', generation: 99, count: 0, hash: hashDefinitions([]) }),
    );
    await eventually('the forged manifest', 10_000, () =>
      follower.problems().some((line) => line.includes('under manifest is not signed')),
    );
    expect(follower.adopted?.manifest.generation).toBe(1);
  });
});

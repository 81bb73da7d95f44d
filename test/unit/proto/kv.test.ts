import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Definition } from '../../../core/definition.ts';
import { dnsTypeData, pingTypeData, tcpTypeData } from '../../../core/type-data.ts';
import {
  decodeDefinition,
  decodeManifest,
  encodeDefinition,
  encodeManifest,
  hashDefinitions,
  keyOfMonitor,
  monitorOfKey,
} from '../../../proto/kv.ts';

const definition: Definition = {
  monitorId: 12,
  versions: [
    {
      revision: 1,
      fromMinute: 60,
      cron: null,
      probe: { kind: 'PING', config: pingTypeData.parse({ hosts: [{ host: '127.0.0.1' }] }) },
    },
    {
      revision: 2,
      fromMinute: 120,
      cron: '*/5 * * * *',
      probe: { kind: 'TCP', config: tcpTypeData.parse({ hosts: [{ host: '127.0.0.1' }], tcpEval: 'x', extra: 1 }) },
    },
    {
      revision: 3,
      fromMinute: 180,
      cron: null,
      probe: { kind: 'DNS', config: dnsTypeData.parse({ host: 'a.test', values: ['b'] }) },
    },
    { revision: 4, fromMinute: 240, cron: null, probe: null },
  ],
};

/** The stored value with some members changed. */
const changed = (fields: object): string =>
  JSON.stringify({ ...(JSON.parse(encodeDefinition('e', definition)) as object), ...fields });

describe('a definition in a bucket', () => {
  it('comes back as it was, with its epoch and the revision it stands at', () => {
    const value = Buffer.from(encodeDefinition('life-1', definition));
    expect(decodeDefinition('m.12', value)).toEqual({
      monitorId: 12,
      epoch: 'life-1',
      revision: 4,
      definition,
      problem: null,
    });
  });

  it('is read past members that this version does not know', () => {
    expect(decodeDefinition('m.12', changed({ signature: 'x' }))?.definition).toEqual(definition);
  });

  it.each([
    ['of a newer form', { v: 2 }, 'form 2 is not known'],
    ['of an unknown kind', { versions: [{ ...definition.versions[0], revision: 4, probe: { kind: 'HTTP' } }] }, 'kind'],
    ['with no versions', { versions: [] }, 'versions'],
    ['whose last version is another revision', { revision: 5 }, 'revision'],
    ['between minutes', { versions: [{ ...definition.versions[3], fromMinute: 61 }] }, 'must be a minute'],
  ])('%s is unreadable, but its revision is known', (_name, fields, problem) => {
    const stored = decodeDefinition('m.12', changed(fields));
    expect(stored).toMatchObject({ monitorId: 12, definition: null });
    expect(stored?.revision).toBeGreaterThan(0);
    expect(stored?.problem).toContain(problem);
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['without an epoch', changed({ epoch: undefined })],
    ['under a key that is not its own', changed({ monitorId: 13 })],
  ])('is nothing where it is %s', (_name, value) => {
    expect(decodeDefinition('m.12', value)).toBeNull();
  });
});

describe('keys', () => {
  it('name their monitors', () => {
    expect(monitorOfKey(keyOfMonitor(2_147_483_647))).toBe(2_147_483_647);
  });
  it.each(['manifest', 'm.', 'm.0', 'm.01', 'm.1.2', 'm.x', 'x.1'])('%s names none', (key) => {
    expect(monitorOfKey(key)).toBeNull();
  });
});

describe('a manifest', () => {
  it('comes back as it was', () => {
    const manifest = { epoch: 'life-1', generation: 3, count: 2, hash: 'a'.repeat(64) };
    expect(decodeManifest(Buffer.from(encodeManifest(manifest)))).toEqual(manifest);
  });
  it.each(['', 'null', '{}', '{"epoch":"e","generation":-1,"count":0,"hash":""}'])('%s is none', (value) => {
    expect(decodeManifest(value)).toBeNull();
  });
  it('hashes ids and revisions in the order of ids', () => {
    const expected = createHash('sha256').update('2:1\n10:7\n').digest('hex');
    expect(
      hashDefinitions([
        [10, 7],
        [2, 1],
      ]),
    ).toBe(expected);
  });
});

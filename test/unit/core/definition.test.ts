import { describe, expect, it } from 'vitest';
import { revisionOf, versionAt, type Definition } from '../../../core/definition.ts';

const definition: Definition = {
  monitorId: 7,
  versions: [
    { revision: 1, fromMinute: 600, cron: null, probe: null },
    { revision: 2, fromMinute: 900, cron: null, probe: null },
    { revision: 3, fromMinute: 900, cron: null, probe: null },
  ],
};

describe('versionAt', () => {
  it.each([
    [540, undefined],
    [600, 1],
    [840, 1],
    [900, 3],
    [9000, 3],
  ])('in minute %d holds revision %s', (minute, revision) => {
    expect(versionAt(definition, minute)?.revision).toBe(revision);
  });
});

describe('revisionOf', () => {
  it('is the newest version, whether it holds already or not', () => {
    expect(revisionOf(definition)).toBe(3);
    expect(revisionOf({ monitorId: 7, versions: [] })).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import type { Definition } from '../../../core/definition.ts';
import { judgeSnapshot, type BucketValue, type Snapshot } from '../../../agent/definition-set.ts';
import { decodeDefinition, encodeDefinition, keyOfMonitor } from '../../../proto/kv.ts';
import { setOf, version } from '../../support/schedule-world.ts';

function definition(monitorId: number, revision = 1): Definition {
  return { monitorId, versions: [version(revision, 0)] };
}

function snapshot(
  definitions: readonly Definition[],
  generation: number,
  told = definitions,
  epoch = 'epoch-1',
): Snapshot {
  const values = definitions.map((one): [string, BucketValue] => {
    const key = keyOfMonitor(one.monitorId);
    const text = encodeDefinition(epoch, one);
    return [key, { text, stored: decodeDefinition(key, text) }];
  });
  return { manifest: setOf(told, generation, epoch).manifest, values: new Map(values) };
}

const garbage: BucketValue = { text: 'garbage', stored: null };

describe('a set of definitions', () => {
  it('is adopted when it equals its manifest, and is no news when it is the adopted one', () => {
    const shown = snapshot([definition(1), definition(2)], 5);
    const verdict = judgeSnapshot(null, shown, false);
    expect(verdict).toMatchObject({ kind: 'adopt' });
    if (verdict.kind !== 'adopt') return;
    expect([...verdict.set.definitions.keys()]).toEqual([1, 2]);
    expect(judgeSnapshot(verdict.set, shown, false)).toEqual({ kind: 'none' });
  });

  it('is no news without a manifest, whatever else is missing', () => {
    expect(judgeSnapshot(setOf([definition(1)]), { manifest: null, values: new Map() }, false)).toEqual({
      kind: 'none',
    });
  });

  it.each([
    ['a definition is missing', snapshot([definition(1)], 5, [definition(1), definition(2)])],
    ['there is one too many', snapshot([definition(1), definition(2)], 5, [definition(1)])],
    ['a revision is another', snapshot([definition(1), definition(2, 1)], 5, [definition(1), definition(2, 2)])],
  ])('is refused where %s', (_, shown) => {
    expect(judgeSnapshot(null, shown, false).kind).toBe('refuse');
  });

  it('is not adopted from a mixture of two databases', () => {
    const old = snapshot([definition(1), definition(2)], 5, undefined, 'old');
    const { manifest } = snapshot([definition(1), definition(2)], 1, undefined, 'new');
    expect(judgeSnapshot(null, { manifest, values: old.values }, false).kind).toBe('refuse');
  });

  it('never goes back within an epoch, neither as a whole nor in one monitor', () => {
    const adopted = setOf([definition(1, 3), definition(2, 3)], 7);
    expect(judgeSnapshot(adopted, snapshot([definition(1, 3), definition(2, 3)], 6), false).kind).toBe('refuse');
    expect(judgeSnapshot(adopted, snapshot([definition(1, 2), definition(2, 4)], 8), false).kind).toBe('refuse');
    expect(judgeSnapshot(adopted, snapshot([definition(2, 4)], 8), false).kind).toBe('adopt');
  });

  it('may begin anew in another epoch', () => {
    const adopted = setOf([definition(1, 3)], 7);
    expect(judgeSnapshot(adopted, snapshot([definition(1, 1)], 1, undefined, 'epoch-2'), false).kind).toBe('adopt');
  });

  it('is adopted with a definition whose content this program cannot read, which counts by its revision', () => {
    const shown = snapshot([definition(1)], 5, [definition(1), definition(2, 4)]);
    const key = keyOfMonitor(2);
    const text = JSON.stringify({ v: 99, epoch: 'epoch-1', monitorId: 2, revision: 4, secret: true });
    const values = new Map([...shown.values, [key, { text, stored: decodeDefinition(key, text) }]]);
    const verdict = judgeSnapshot(null, { ...shown, values }, false);
    expect(verdict.kind === 'adopt' && verdict.set.definitions.get(2)).toMatchObject({ definition: null, revision: 4 });
  });

  it('is adopted with a value that is garbage only when a second snapshot shows the same, and then stops only that monitor', () => {
    const shown = snapshot([definition(1)], 5, [definition(1), definition(2)]);
    const values = new Map([...shown.values, [keyOfMonitor(2), garbage]]);
    expect(judgeSnapshot(null, { ...shown, values }, false).kind).toBe('refuse');
    const verdict = judgeSnapshot(null, { ...shown, values }, true);
    if (verdict.kind !== 'adopt') throw new Error(verdict.kind);
    const { definitions } = verdict.set;
    expect(definitions.get(1)).toMatchObject({ problem: null });
    expect(definitions.get(2)).toMatchObject({ revision: 1, definition: null, problem: 'its value cannot be read' });
    expect(judgeSnapshot(verdict.set, { ...shown, values }, true)).toEqual({ kind: 'none' });
    const mended = snapshot([definition(1), definition(2)], 5);
    expect(judgeSnapshot(verdict.set, mended, true).kind).toBe('adopt');
  });

  it('keeps the revision that a monitor had before its value became garbage', () => {
    const adopted = setOf([definition(1), definition(2, 7)], 4);
    const shown = snapshot([definition(1)], 5, [definition(1), definition(2, 8)]);
    const values = new Map([...shown.values, [keyOfMonitor(2), garbage]]);
    const verdict = judgeSnapshot(adopted, { ...shown, values }, true);
    expect(verdict.kind === 'adopt' && verdict.set.definitions.get(2)).toMatchObject({ revision: 7, definition: null });
  });
});

import { describe, expect, it } from 'vitest';
import { monitorReferences, tagsBeforeFault } from '../../../core/monitor-reference.ts';

describe('monitorReferences', () => {
  it('gives the default where no impact is named', () => {
    const list = [{ monitor_tag: 'a' }, { monitor_tag: 'b', impact: 'UP' }];
    expect(monitorReferences('MAINTENANCE').parse(list)).toEqual([
      { monitor_tag: 'a', impact: 'MAINTENANCE' },
      { monitor_tag: 'b', impact: 'UP' },
    ]);
  });

  it('lets the last of several count, the default included, at the place of the first', () => {
    const list = ['a', 'b', 'a'].map((monitor_tag, index) => ({ monitor_tag, ...(index === 0 && { impact: 'UP' }) }));
    expect(monitorReferences('DOWN').parse(list)).toEqual([
      { monitor_tag: 'a', impact: 'DOWN' },
      { monitor_tag: 'b', impact: 'DOWN' },
    ]);
  });
});

describe('tagsBeforeFault', () => {
  const known = { monitor_tag: 'a' };
  it.each([
    [undefined, []],
    ['a', []],
    [[], []],
    [
      [known, { monitor_tag: 'b', impact: 'UP' }],
      ['a', 'b'],
    ],
    [[known, {}, { monitor_tag: 'b' }], ['a']],
    [[known, null], ['a']],
    [[{ ...known, impact: 'x' }, { monitor_tag: 'b' }], ['a']],
    [[{ monitor_tag: '' }, known], []],
  ])('of %j are %j', (items, tags) => {
    expect(tagsBeforeFault(items)).toEqual(tags);
  });
});

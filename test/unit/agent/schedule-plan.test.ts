import { describe, expect, it } from 'vitest';
import { createDueCache, fractionOf, planMinute, slotOf, type Planned } from '../../../agent/schedule-plan.ts';
import { MINUTE } from '../../support/check-results.ts';
import { version } from '../../support/schedule-world.ts';

function planned(monitorId: number, timeout = 1000, cron: string | null = null): Planned {
  const hosts = [{ type: 'IP4' as const, host: '127.0.0.1', port: 1, timeout }];
  const one = { ...version(1, 0, cron), probe: { kind: 'TCP' as const, config: { hosts } } };
  return {
    definition: { monitorId, versions: [one] },
    fraction: fractionOf(monitorId, 'eu'),
    problem: null,
    sinceGeneration: 0,
  };
}

describe('the plan of a minute', () => {
  it('spreads the starts over 45 seconds, so that none begins with a herd', () => {
    const slots = planMinute(
      Array.from({ length: 9000 }, (_, index) => planned(index + 1)),
      MINUTE,
      createDueCache(),
    );
    const perSecond = new Array<number>(45).fill(0);
    for (const { startMs } of slots) {
      const second = Math.floor(startMs / 1000 - MINUTE);
      perSecond[second] = (perSecond[second] ?? 0) + 1;
    }
    expect(perSecond).toHaveLength(45);
    expect(Math.min(...perSecond)).toBeGreaterThan(130);
    expect(Math.max(...perSecond)).toBeLessThan(270);
    expect(slots.map(({ startMs }) => startMs)).toEqual(slots.map(({ startMs }) => startMs).sort((a, b) => a - b));
  });

  it('leaves a long check the time it may take, and lets none begin that could not end in its minute', () => {
    for (let monitorId = 1; monitorId <= 200; monitorId += 1) {
      const slot = slotOf(planned(monitorId, 50_000), MINUTE, createDueCache());
      expect(slot?.startMs).toBeLessThanOrEqual(MINUTE * 1000 + 8000);
      expect(slot?.latestStartMs).toBe(MINUTE * 1000 + 9500);
    }
  });

  it('gives a monitor the same offset in each minute, and another one in another region', () => {
    const cache = createDueCache();
    const offsets = [0, 60, 120].map(
      (later) => (slotOf(planned(5), MINUTE + later, cache)?.startMs ?? 0) - (MINUTE + later) * 1000,
    );
    expect(new Set(offsets).size).toBe(1);
    expect(fractionOf(5, 'eu')).not.toBe(fractionOf(5, 'us'));
  });

  it('holds what the cron names and nothing else', () => {
    const cache = createDueCache();
    const minutes = [0, 60, 120, 180, 240, 300].filter((later) =>
      slotOf(planned(1, 1000, '*/5 * * * *'), MINUTE + later, cache),
    );
    expect(minutes).toEqual([0, 300]);
  });
});

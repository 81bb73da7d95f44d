import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Definition } from '../../../core/definition.ts';
import type { CheckResult } from '../../../core/result.ts';
import { MINUTE } from '../../support/check-results.ts';
import { faultsOf } from '../../support/schedule-faults.ts';
import { minuteOf, ScheduleWorld, setOf, version, type WorldOptions } from '../../support/schedule-world.ts';

function worldAt(secondsIntoMinute: number, options: Partial<WorldOptions> = {}): ScheduleWorld {
  return new ScheduleWorld({ startMs: (MINUTE + secondsIntoMinute) * 1000, duration: () => 100, ...options });
}

function everyMinute(count: number): Definition[] {
  return Array.from({ length: count }, (_, index) => ({ monitorId: index + 1, versions: [version(1, 0)] }));
}

function rowsOf(world: ScheduleWorld): CheckResult[] {
  return world.records().flatMap((record) => (record.kind === 'results' ? record.results : []));
}

function absencesOf(world: ScheduleWorld): string[] {
  return world
    .records()
    .flatMap((record) =>
      record.kind === 'absences' ? record.absences.map(({ from, to, reason }) => `${from}..${to} ${reason}`) : [],
    );
}

function expectCompleteBooks(world: ScheduleWorld, definitions: readonly Definition[]): void {
  const { bornMinute, handledMinute } = world;
  expect(faultsOf(world.records(), definitions, bornMinute ?? 0, handledMinute ?? 0)).toEqual([]);
}

describe('a schedule', () => {
  it('runs each monitor once in each minute, at the same offset, and calls the minute handled', async () => {
    const world = worldAt(0);
    const definitions = everyMinute(50);
    await world.start();
    await world.adopt(setOf(definitions));
    await world.run(185_000);
    const rows = rowsOf(world);
    expect(rows.filter(({ status }) => status === 'UP')).toHaveLength(rows.length);
    for (const minute of [MINUTE, MINUTE + 60, MINUTE + 120])
      expect(
        rows
          .filter((row) => row.minute === minute)
          .map(({ monitorId }) => monitorId)
          .sort((a, b) => a - b),
      ).toEqual(definitions.map(({ monitorId }) => monitorId));
    expect(world.handledMinute).toBe(MINUTE + 120);
    expectCompleteBooks(world, definitions);
  });

  it('says at its first start that it was unborn before', async () => {
    const world = worldAt(20);
    await world.start();
    await world.run(1000);
    expect(absencesOf(world)).toEqual([`0..${MINUTE} unborn`]);
  });

  it('runs what a late start still can run in its minute and calls the rest late', async () => {
    const world = worldAt(59);
    await world.start();
    await world.adopt(setOf(everyMinute(5)));
    await world.run(2000);
    const late = rowsOf(world).filter(({ minute }) => minute === MINUTE);
    expect(late.map(({ status, error }) => `${status} ${error}`)).toEqual(
      Array.from({ length: 5 }, () => 'UNKNOWN late: too late in its minute to end within it'),
    );
  });

  it('honours cron, versions that hold from a later minute, and pauses', async () => {
    const world = worldAt(0);
    const definitions: Definition[] = [
      { monitorId: 1, versions: [version(1, 0, '*/2 * * * *')] },
      { monitorId: 2, versions: [version(1, 0), version(2, MINUTE + 120)] },
      { monitorId: 3, versions: [version(1, 0), { ...version(2, MINUTE + 60), probe: null }] },
    ];
    await world.start();
    await world.adopt(setOf(definitions));
    await world.run(4 * 60_000);
    const seen = (id: number): string[] =>
      rowsOf(world)
        .filter(({ monitorId }) => monitorId === id)
        .map((row) => `${(row.minute - MINUTE) / 60}:${row.revision}`);
    expect(seen(1)).toEqual(['0:1', '2:1']);
    expect(seen(2)).toEqual(['0:1', '1:1', '2:2', '3:2']);
    expect(seen(3)).toEqual(['0:1']);
  });

  it('reports a process that stood still as late slots and one absence', async () => {
    const world = worldAt(0);
    const definitions = everyMinute(30);
    await world.start();
    await world.adopt(setOf(definitions));
    await world.run(20_000);
    world.stand(5 * 60_000);
    await world.run(120_000);
    expect(absencesOf(world)).toEqual([`0..${MINUTE} unborn`, `${MINUTE + 60}..${MINUTE + 300} stopped`]);
    const late = rowsOf(world).filter(({ minute, status }) => minute === MINUTE && status === 'UNKNOWN');
    expect(late.length).toBeGreaterThan(0);
    expectCompleteBooks(world, definitions);
  });

  it('makes no absence of a process that stood still for three seconds', async () => {
    const world = worldAt(0);
    await world.start();
    await world.adopt(setOf(everyMinute(30)));
    await world.run(20_000);
    world.stand(3000);
    await world.run(60_000);
    expect(absencesOf(world)).toEqual([`0..${MINUTE} unborn`]);
    expect(rowsOf(world).filter(({ status }) => status === 'UNKNOWN')).toEqual([]);
  });

  it('accounts for its death: late slots where it still measured, an absence where it was dead', async () => {
    const world = worldAt(0);
    const definitions = everyMinute(30);
    await world.start();
    await world.adopt(setOf(definitions));
    await world.run(90_000);
    world.kill();
    world.stand(200_000);
    await world.start();
    await world.run(70_000);
    expect(absencesOf(world).slice(1)).toEqual([`${MINUTE + 120}..${MINUTE + 240} not running`]);
    expectCompleteBooks(world, definitions);
  });

  it('cuts what is under way when it is stopped, and the next start in that minute runs it again', async () => {
    const world = worldAt(0, { duration: () => 900 });
    const definitions = everyMinute(100);
    await world.start();
    await world.adopt(setOf(definitions));
    await world.run(20_000);
    await world.stop();
    expect(rowsOf(world).filter(({ error }) => error?.startsWith('cut:')).length).toBeGreaterThan(0);
    await world.start();
    await world.run(50_000);
    const known = rowsOf(world).filter(({ minute, status }) => minute === MINUTE && status === 'UP');
    expect(new Set(known.map(({ monitorId }) => monitorId)).size).toBe(100);
    expect(known).toHaveLength(100);
  });

  it('makes up for a definition that came late, but not for minutes it was absent in', async () => {
    const world = worldAt(0);
    const first = everyMinute(30);
    await world.start();
    await world.adopt(setOf(first));
    await world.run(90_000);
    world.kill();
    world.stand(120_000);
    await world.start();
    await world.run(120_000);
    const definitions = [...first, { monitorId: 99, versions: [version(1, MINUTE + 60)] }];
    await world.adopt(setOf(definitions, 2));
    await world.run(60_000);
    const rows = rowsOf(world).filter(({ monitorId }) => monitorId === 99);
    expect(rows.map((row) => `${(row.minute - MINUTE) / 60} ${row.error ?? row.status}`)).toEqual(
      expect.arrayContaining(['1 late: its definition came later', '3 late: its definition came later']),
    );
    expectCompleteBooks(world, definitions);
  });

  it('says of a definition it cannot read that it is unsupported', async () => {
    const world = worldAt(0);
    await world.start();
    const set = setOf(everyMinute(1));
    const unreadable = {
      monitorId: 7,
      epoch: 'epoch-1',
      revision: 4,
      definition: null,
      problem: 'form 2 is not known',
    };
    await world.adopt({ ...set, definitions: new Map([...set.definitions, [7, unreadable]]) });
    await world.run(60_000);
    expect(rowsOf(world).filter(({ monitorId }) => monitorId === 7)).toMatchObject([
      { status: 'UNKNOWN', revision: 4, error: 'unsupported: form 2 is not known', minute: MINUTE },
    ]);
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
    ['ahead by part of a minute', 100_000],
    ['right', 300],
  ])(
    'puts what it measured before the first contact into its true minutes: the wall clock was %s',
    async (_, wallErrorMs) => {
      const world = worldAt(10, { wallErrorMs, isClockKnown: false });
      const definitions = everyMinute(20);
      await world.start();
      await world.adopt(setOf(definitions));
      await world.run(150_000);
      await world.contact();
      await world.run(120_000);
      const rows = rowsOf(world);
      expect(Math.min(...rows.map(({ minute }) => minute))).toBeGreaterThanOrEqual(MINUTE - 60);
      expect(Math.max(...rows.map(({ minute }) => minute))).toBeLessThanOrEqual(MINUTE + 300);
      expect(rows.filter(({ status }) => status === 'UP').length).toBeGreaterThan(60);
      expectCompleteBooks(world, definitions);
    },
  );

  it('does not follow a wall clock that is stepped after the first contact', async () => {
    const world = worldAt(0);
    const definitions = everyMinute(20);
    await world.start();
    await world.adopt(setOf(definitions));
    await world.run(30_000);
    world.wallErrorMs = 3_600_000;
    await world.run(60_000);
    world.wallErrorMs = -3_600_000;
    await world.run(60_000);
    expect(absencesOf(world)).toHaveLength(1);
    expect(rowsOf(world).filter(({ status }) => status === 'UNKNOWN')).toEqual([]);
    expectCompleteBooks(world, definitions);
  });
});

describe('the books of a schedule', () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('run' as const), ms: fc.integer({ min: 500, max: 90_000 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('stand' as const), ms: fc.integer({ min: 500, max: 200_000 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('kill' as const), ms: fc.integer({ min: 10, max: 200_000 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('stop' as const), ms: fc.integer({ min: 10, max: 100_000 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('edit' as const),
        ms: fc.integer({ min: 0, max: 150_000 }),
        monitor: fc.integer({ min: 1, max: 12 }),
        what: fc.constantFrom('change', 'pause', 'cron'),
      }),
    },
  );

  it('hold each due minute of each monitor exactly once, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 59_999 }),
        fc.array(step, { minLength: 3, maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 5, maxLength: 5 }),
        fc.constantFrom(1000, 20_000),
        async (offsetMs, steps, durations, commitMs) => {
          const world = new ScheduleWorld({
            commitMs,
            startMs: MINUTE * 1000 + offsetMs,
            duration: (n) => durations[n % durations.length] ?? 1,
          });
          const definitions = new Map(everyMinute(6).map((one) => [one.monitorId, one]));
          let generation = 1;
          await world.start();
          await world.adopt(setOf([...definitions.values()]));
          for (const { kind, ms, ...more } of steps) {
            if (kind === 'run') await world.run(ms);
            if (kind === 'stand') world.stand(ms);
            if (kind === 'kill') world.kill();
            if (kind === 'stop') await world.stop();
            if (kind === 'kill' || kind === 'stop') {
              world.stand(ms);
              await world.start();
            }
            if ('monitor' in more) {
              edit(definitions, more.monitor, more.what, minuteOf(world.trueMs + 2000) + 60);
              // News may come late, after the minute from which they hold.
              await world.run(ms);
              await world.adopt(setOf([...definitions.values()], ++generation));
            }
          }
          await world.run(150_000);
          expectCompleteBooks(world, [...definitions.values()]);
        },
      ),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) },
    );
  }, 120_000);
});

function edit(definitions: Map<number, Definition>, monitorId: number, what: string, fromMinute: number): void {
  const { versions } = definitions.get(monitorId) ?? { versions: [] };
  const next = version((versions.at(-1)?.revision ?? 0) + 1, fromMinute, what === 'cron' ? '*/3 * * * *' : null);
  definitions.set(monitorId, {
    monitorId,
    versions: [...versions, what === 'pause' ? { ...next, probe: null } : next],
  });
}

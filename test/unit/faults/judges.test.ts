import { describe, expect, test } from 'vitest';
import type { Wrong } from '../../faults/ledger.ts';
import { judge } from '../../faults/verdict.ts';
import { FIRST, rowOf, smallRun, versionOf, type SmallRun } from '../../support/small-run.ts';

const HEALED_MS = (FIRST + 120) * 1000;
/** The first row there is: monitor 1, eu, by agent 1, in the first minute. */
const first = ({ stored }: SmallRun) => at(stored.results, 0);

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error('not in the small run');
  return found;
}

function judged(spoil: (run: SmallRun) => void): Wrong[] {
  const run = smallRun();
  spoil(run);
  // Agents 2 and 4 stand by all the time.
  return judge(run.ledger, run.stored, HEALED_MS).wrongs.filter(({ text }) => !/agent-[24] has measured/.test(text));
}

function kindsOf(wrongs: readonly Wrong[]): string[] {
  return [...new Set(wrongs.map(({ kind }) => kind))].sort();
}

test('nothing is wrong where everything went well', () => {
  expect(judged(() => undefined)).toEqual([]);
});

/** Unmeasured and absent: nobody has the first slot, and its point is of the other region only. */
function withoutFirstSlot(run: SmallRun): void {
  run.stored.results.shift();
  at(run.ledger.agents, 0).accepted.shift();
  Object.assign(at(run.stored.points, 0), { known: 1 });
}

function absent(run: SmallRun, agentId: number): void {
  const absence = { from: FIRST, to: FIRST + 60, reason: 'not running' };
  run.stored.absences.push({ agentId, ...absence });
  const agent = at(run.ledger.agents, agentId - 1);
  agent.absences.push(absence);
  agent.away.push({ fromMs: (FIRST - 5) * 1000, toMs: (FIRST + 70) * 1000 });
}

/** The first minute of monitor 1 as DOWN from both regions, and so its point. */
function down(run: SmallRun): void {
  const isIt = (row: { monitorId: number; minute: number }): boolean => row.monitorId === 1 && row.minute === FIRST;
  const rows = [...run.stored.results, ...run.ledger.agents.flatMap(({ accepted }) => accepted)];
  for (const row of rows) if (isIt(row)) Object.assign(row, { status: 'DOWN', error: 'refused' });
  Object.assign(at(run.stored.points, 0), { status: 'DOWN' });
}

describe('what is planted is called by its name', () => {
  test.for<[string, string[], (run: SmallRun) => void]>([
    ['a result is gone that an agent kept', ['invented', 'lost'], ({ stored }) => stored.results.shift()],
    ['a due slot has neither result nor reason', ['lost'], withoutFirstSlot],
    ['only one agent of the region was absent', ['lost'], (run) => (withoutFirstSlot(run), absent(run, 2))],
    [
      'a stronger result was kept',
      ['lost'],
      (run) => {
        at(run.ledger.agents, 1).accepted.push(rowOf(1, FIRST));
        Object.assign(first(run), { status: 'UNKNOWN', latencyUs: null, error: 'late: x' });
        at(run.ledger.agents, 0).accepted[0] = {
          ...rowOf(1, FIRST),
          ...{ status: 'UNKNOWN', latencyUs: null, error: 'late: x' },
        };
        Object.assign(at(run.stored.points, 0), { known: 1 });
        run.ledger.troubles.push({ fromMs: FIRST * 1000, toMs: FIRST * 1000 + 1, regions: ['eu'] });
      },
    ],
    ['a point is gone', ['lost'], ({ stored }) => stored.points.shift()],
    [
      'an absence is gone that an agent kept',
      ['lost'],
      (run) => {
        absent(run, 2);
        run.stored.absences.pop();
      },
    ],
    ['a result stands twice', ['doubled', 'invented'], (run) => run.stored.results.push({ ...first(run) })],
    ['a point stands twice', ['doubled'], ({ stored }) => stored.points.push({ ...at(stored.points, 0) })],
    [
      'a result has another latency than was kept',
      ['invented'],
      (run) => {
        Object.assign(first(run), { latencyUs: 700 });
        Object.assign(at(run.stored.points, 0), { latencyUs: 600 });
      },
    ],
    [
      'a result is that of an agent of another region',
      ['invented', 'lost'],
      (run) => Object.assign(first(run), { agentId: 3 }),
    ],
    ['nobody came to the target', ['invented'], ({ ledger }) => ledger.targets.get('t1')?.visits.splice(0, 1)],
    [
      'the target answered none of them',
      ['invented'],
      ({ ledger }) => {
        for (const visit of ledger.targets.get('t1')?.visits ?? []) visit.answered = false;
      },
    ],
    [
      'the monitor was paused',
      ['invented'],
      ({ ledger }) => {
        at(ledger.monitors, 0).versions.push({ ...versionOf(2, FIRST + 120, 't1'), active: false });
      },
    ],
    ['the monitor was deleted', ['invented'], ({ ledger }) => (at(ledger.monitors, 0).deleted = true)],
    ['there is no such monitor', ['invented'], (run) => run.stored.results.push({ ...first(run), monitorId: 9 })],
    [
      'it is of a minute before there were monitors',
      ['invented'],
      (run) => run.stored.results.push({ ...first(run), minute: FIRST - 60 }),
    ],
    [
      'a point has another latency than its results',
      ['invented'],
      ({ stored }) => Object.assign(at(stored.points, 1), { latencyUs: 501 }),
    ],
    [
      'a point is of a monitor that there is not',
      ['invented'],
      ({ stored }) => stored.points.push({ ...at(stored.points, 0), monitorId: 9 }),
    ],
    [
      'a result of an older revision counts',
      ['invented'],
      ({ ledger }) => at(ledger.monitors, 0).versions.push(versionOf(2, FIRST + 60, 't1')),
    ],
    [
      'an agent is absent that was there',
      ['invented'],
      (run) => {
        absent(run, 2);
        at(run.ledger.agents, 1).away = [];
      },
    ],
    ['DOWN everywhere, and the target was up', ['false DOWN', 'invented'], down],
    [
      'a DOWN point, and the target went only after its minute',
      ['false DOWN'],
      (run) => {
        down(run);
        run.ledger.targets.get('t1')?.outages.push({ fromMs: (FIRST + 61) * 1000, toMs: (FIRST + 90) * 1000 });
      },
    ],
    [
      'UNKNOWN while nothing was wrong',
      ['unmeasured'],
      (run) => {
        for (const row of [first(run), at(at(run.ledger.agents, 0).accepted, 0)])
          Object.assign(row, { status: 'UNKNOWN', latencyUs: null, error: 'late: x' });
        Object.assign(at(run.stored.points, 0), { known: 1 });
      },
    ],
    [
      'an agent measures nothing any more',
      ['stuck'],
      ({ ledger, stored }) => {
        const isLast = ({ minute }: { minute: number }): boolean => minute === FIRST + 120;
        const agent = at(ledger.agents, 0);
        at(ledger.agents, 1).accepted.push(...agent.accepted.filter(isLast));
        agent.accepted = agent.accepted.filter((row) => !isLast(row));
        for (const row of stored.results) if (row.agentId === 1 && isLast(row)) row.agentId = 2;
      },
    ],
  ])('%s', ([, kinds, spoil]) => {
    expect(kindsOf(judged(spoil))).toEqual(kinds);
  });
});

describe('what the documents allow is let be', () => {
  test.for<[string, (run: SmallRun) => void]>([
    [
      'every agent of the region was absent',
      (run) => {
        withoutFirstSlot(run);
        absent(run, 1);
        absent(run, 2);
      },
    ],
    [
      'one was absent, and the other could not hear it',
      (run) => {
        withoutFirstSlot(run);
        absent(run, 2);
        at(run.ledger.agents, 0).deaf.push({ fromMs: (FIRST - 5) * 1000, toMs: (FIRST + 60) * 1000 });
      },
    ],
    [
      'a result of an older revision says so',
      (run) => {
        at(run.ledger.monitors, 0).versions.push(versionOf(2, FIRST + 120, 't1'));
        const isLate = ({ monitorId, minute }: { monitorId: number; minute: number }): boolean =>
          monitorId === 1 && minute === FIRST + 120;
        for (const row of run.stored.results.filter(isLate))
          Object.assign(row, { status: 'UNKNOWN', latencyUs: null, error: 'stale: measured under revision 1' });
        run.stored.points = run.stored.points.filter((point) => !isLate(point));
        run.ledger.troubles.push({ fromMs: FIRST * 1000, toMs: FIRST * 1000 + 200_000, regions: ['eu', 'us'] });
      },
    ],
    [
      'a change at the turn of a minute holds from it or from the next',
      ({ ledger }) =>
        at(ledger.monitors, 0).versions.push({
          ...versionOf(2, FIRST + 120, 't1'),
          latest: FIRST + 180,
          active: false,
        }),
    ],
    [
      'a result from the memory of an agent whose disk took nothing',
      ({ ledger }) => {
        at(ledger.agents, 0).accepted.shift();
        at(ledger.agents, 0).diskless.push({ fromMs: (FIRST + 10) * 1000, toMs: (FIRST + 40) * 1000 });
      },
    ],
    [
      'DOWN of a target that was gone for a moment',
      (run) => {
        down(run);
        run.ledger.targets.get('t1')?.outages.push({ fromMs: (FIRST + 18) * 1000, toMs: (FIRST + 21) * 1000 });
      },
    ],
    [
      'UNKNOWN while something was wrong in the region',
      (run) => {
        for (const row of [first(run), at(at(run.ledger.agents, 0).accepted, 0)])
          Object.assign(row, { status: 'UNKNOWN', latencyUs: null, error: 'late: x' });
        Object.assign(at(run.stored.points, 0), { known: 1 });
        run.ledger.troubles.push({ fromMs: FIRST * 1000, toMs: FIRST * 1000 + 1, regions: ['eu'] });
      },
    ],
  ])('%s', ([, change]) => {
    expect(judged(change)).toEqual([]);
  });
});

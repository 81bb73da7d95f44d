import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Slot } from '../../../../agent/schedule-plan.ts';
import type { Definition } from '../../../../core/definition.ts';
import { MINUTE } from '../../../support/check-results.ts';
import { slotsOf } from '../../../support/division.ts';
import { RegionWorld, type SimulatedAgent } from '../../../support/region-world.ts';
import { version } from '../../../support/schedule-world.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

function everyMinute(count: number): Definition[] {
  return Array.from({ length: count }, (_, index) => ({ monitorId: index + 1, versions: [version(1, 0)] }));
}

/** A region whose agents share its monitors since the beginning of `MINUTE`. */
async function sharedRegion(options: { agents: number; monitors?: number; seed?: number }): Promise<RegionWorld> {
  const region = new RegionWorld({
    startMs: (MINUTE - 120) * 1000,
    agents: options.agents,
    definitions: everyMinute(options.monitors ?? 40),
    random: seededRandom(options.seed ?? 1),
  });
  for (const agent of region.agents) await agent.start();
  await region.run(120_000);
  return region;
}

function agentOf(region: RegionWorld, id: number): SimulatedAgent {
  const agent = region.agents[id - 1];
  if (agent === undefined) throw new Error(`no agent ${id}`);
  return agent;
}

/** How often monitors were measured in a minute: how many monitors for each number of times. */
function timesIn(region: RegionWorld, minute: number): Record<number, number> {
  const times: Record<number, number> = {};
  for (const agents of region.measured(minute).values()) times[agents.length] = (times[agents.length] ?? 0) + 1;
  return times;
}

describe('agents of one region', () => {
  it('share its monitors: each is measured once a minute, and each agent measures some', async () => {
    const region = await sharedRegion({ agents: 3 });
    await region.run(180_000);
    for (const minute of [MINUTE, MINUTE + 60, MINUTE + 120]) expect(timesIn(region, minute)).toEqual({ 1: 40 });
    const owners = [...region.measured(MINUTE).values()].flat();
    for (const id of [1, 2, 3]) expect(owners.filter((owner) => owner === id).length).toBeGreaterThan(5);
  });

  it('take over all that a killed one owed within ten seconds, or when it is due', async () => {
    let overdue = 0;
    for (const second of [1, 20, 44, 57]) {
      const region = await sharedRegion({ agents: 3, monitors: 100 });
      region.checkMs = () => 5000;
      await region.run(second * 1000);
      const killedMs = region.nowMs;
      agentOf(region, 2).kill();
      const owed = owedBy(region, 2);
      await region.run((180 - second) * 1000);
      expect(region.gaps(MINUTE, MINUTE + 180)).toEqual([]);
      const isLate = (slot: Slot): boolean => begunMs(region, slot) >= Math.max(killedMs + 10_000, slot.startMs + 1000);
      expect(owed.filter(isLate).map(({ monitorId, minute }) => [monitorId, minute])).toEqual([]);
      overdue += owed.filter(({ startMs }) => startMs <= killedMs).length;
    }
    expect(overdue).toBeGreaterThan(3);
  });

  it('take over what was under way when one was killed, though its minute has ended meanwhile', async () => {
    const region = await sharedRegion({ agents: 3, monitors: 300 });
    region.checkMs = () => 14_500;
    await region.run(57_500);
    const owned = [...region.measured(MINUTE - 60)].filter(([, agents]) => agents.includes(2)).map(([id]) => id);
    const undone = (): number[] => owned.filter((id) => region.measured(MINUTE).get(id)?.length === 0);
    agentOf(region, 2).kill();
    expect(undone()).not.toEqual([]);
    await region.run(25_000);
    expect(undone()).toEqual([]);
  });

  it('lose no minute and measure none twice when one leaves', async () => {
    for (const second of [1, 30, 58]) {
      const region = await sharedRegion({ agents: 3 });
      region.checkMs = () => 5000;
      await region.run(second * 1000);
      agentOf(region, 2).leave();
      await region.run((180 - second) * 1000);
      expect(agentOf(region, 2).isAlive).toBe(false);
      for (const minute of [MINUTE, MINUTE + 60, MINUTE + 120]) expect(timesIn(region, minute)).toEqual({ 1: 40 });
      const unknown = region.agents.flatMap(({ world }) =>
        world.results.filter(({ result }) => result.status === 'UNKNOWN'),
      );
      expect(unknown).toEqual([]);
    }
  });

  it('lose no minute and measure none twice when one comes', async () => {
    const region = await sharedRegion({ agents: 3 });
    agentOf(region, 3).kill();
    await region.run(60_000);
    await region.run(25_000);
    await agentOf(region, 3).start();
    await region.run(155_000);
    for (const minute of [MINUTE + 60, MINUTE + 120, MINUTE + 180]) expect(timesIn(region, minute)).toEqual({ 1: 40 });
    const owners = [...region.measured(MINUTE + 120).values()].flat();
    expect(owners).toContain(3);
  });

  it('answer, after a death, for what was their own and for nothing else', async () => {
    const region = await sharedRegion({ agents: 3 });
    await region.run(20_000);
    const owned = [...region.measured(MINUTE - 60)].filter(([, agents]) => agents.includes(2)).map(([id]) => id);
    const dead = agentOf(region, 2);
    dead.kill();
    await region.run(60_000);
    await dead.start();
    await region.run(30_000);
    const unknown = dead.world.results.filter(({ result }) => result.status === 'UNKNOWN' && result.minute >= MINUTE);
    expect(unknown.length).toBeGreaterThan(0);
    expect(unknown.filter(({ result }) => !owned.includes(result.monitorId))).toEqual([]);
  });

  it('say what a leaver did not get to its disk, though it is back within the minute', async () => {
    const region = await sharedRegion({ agents: 2 });
    const leaver = agentOf(region, 2);
    await region.run(20_000);
    leaver.world.isDiskFull = true;
    await region.run(10_000);
    leaver.leave();
    await region.run(10_000);
    expect(leaver.isAlive).toBe(false);
    leaver.world.isDiskFull = false;
    await leaver.start();
    await region.run(80_000);
    const records = region.agents.flatMap(({ world }) => world.records());
    const rows = records.flatMap((record) => (record.kind === 'results' ? record.results : []));
    const told = new Set(rows.filter(({ minute }) => minute === MINUTE).map(({ monitorId }) => monitorId));
    expect(region.gaps(MINUTE, MINUTE + 60).length).toBeGreaterThan(2);
    expect(told.size).toBe(region.definitions.length);
  });

  it('keep their shares while NATS is away', async () => {
    const region = await sharedRegion({ agents: 3 });
    const before = region.agents.map(({ lastView }) => lastView?.tenures);
    await region.run(90_000);
    for (const agent of region.agents) agent.cut(true);
    await region.run(150_000);
    expect(region.agents.map(({ lastView }) => lastView?.tenures)).toEqual(before);
    for (const agent of region.agents) agent.cut(false);
    await region.run(120_000);
    for (let minute = MINUTE; minute < MINUTE + 360; minute += 60) expect(timesIn(region, minute)).toEqual({ 1: 40 });
  });

  it('run what only one of them has adopted', async () => {
    const region = await sharedRegion({ agents: 2 });
    await region.run(1000);
    region.definitions = everyMinute(60);
    region.generation = 2;
    await agentOf(region, 1).adopt();
    await region.run(119_000);
    expect(region.gaps(MINUTE + 60, MINUTE + 120)).toEqual([]);
  });

  it('hand PING over when one of them loses the permission for it, and nothing else', async () => {
    const region = await sharedRegion({ agents: 2 });
    await region.run(1000);
    agentOf(region, 2).kinds = ['DNS'];
    await region.run(119_000);
    expect(region.gaps(MINUTE, MINUTE + 120)).toEqual([]);
    expect(new Set([...region.measured(MINUTE + 60).values()].flat())).toEqual(new Set([1]));
  });

  it('do not run again what another has run before one could, nor when definitions change after that', async () => {
    const region = await sharedRegion({ agents: 2 });
    await region.run(1000);
    agentOf(region, 2).kinds = ['DNS'];
    await region.run(89_000);
    agentOf(region, 2).kinds = ['DNS', 'TCP'];
    await region.run(5000);
    region.generation = 2;
    for (const agent of region.agents) await agent.adopt();
    await region.run(60_000);
    // One that is due while the news is under way may be run by both.
    expect(timesIn(region, MINUTE + 60)[1]).toBeGreaterThanOrEqual(38);
    expect([...region.measured(MINUTE + 60).values()].flat()).toContain(2);
  });
});

/** What an agent has not measured of its slots in the minute that runs and the one after it. */
function owedBy(region: RegionWorld, id: number): Slot[] {
  // While nothing happens a monitor has one owner: the one that measured it in the minute before.
  const owners = region.measured(MINUTE - 60);
  const slots = slotsOf(region.definitions, [MINUTE, MINUTE + 60]);
  return slots.filter(
    ({ monitorId, minute }) =>
      owners.get(monitorId)?.includes(id) === true && !region.measured(minute).get(monitorId)?.includes(id),
  );
}

/** When an agent that lives began to measure a slot; Infinity where none did. */
function begunMs(region: RegionWorld, slot: Slot): number {
  const living = region.agents.filter(({ isAlive }) => isAlive).flatMap(({ world }) => world.results);
  const measured = living.filter(
    ({ result: { monitorId, minute, status } }) =>
      monitorId === slot.monitorId && minute === slot.minute && status !== 'UNKNOWN',
  );
  return Math.min(...measured.map(({ startedMs }) => startedMs));
}

describe('whatever happens to the agents of a region but one', () => {
  const event = fc.record({
    afterMs: fc.integer({ min: 25_000, max: 60_000 }),
    agent: fc.integer({ min: 2, max: 4 }),
    what: fc.constantFrom('kill', 'leave', 'pause', 'blink', 'cut', 'start', 'kill and start'),
    forMs: fc.integer({ min: 100, max: 40_000 }),
  });

  it('every monitor is measured in every minute', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.array(event, { minLength: 2, maxLength: 8 }), async (seed, events) => {
        const region = await sharedRegion({ agents: 4, monitors: 12, seed });
        for (const { afterMs, agent, what, forMs } of events) {
          await region.run(afterMs);
          await happen(region, agentOf(region, agent), what, forMs);
        }
        await region.run(120_000);
        const last = Math.floor(region.nowMs / 60_000) * 60;
        expect(region.gaps(MINUTE, last - 60)).toEqual([]);
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 40) },
    );
  }, 1_800_000);
});

async function happen(region: RegionWorld, agent: SimulatedAgent, what: string, forMs: number): Promise<void> {
  if (!agent.isAlive) {
    agent.cut(false);
    return agent.start();
  }
  if (what.startsWith('kill')) agent.kill();
  if (what === 'kill and start') {
    await region.run(forMs);
    await agent.start();
  }
  if (what === 'leave') agent.leave();
  if (what === 'pause') agent.pausedUntilMs = region.nowMs + forMs;
  if (what === 'blink') agent.pausedUntilMs = region.nowMs + Math.min(forMs, 3000);
  if (what === 'cut') agent.cut(!agent.isCut);
}

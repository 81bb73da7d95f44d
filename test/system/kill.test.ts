import { setTimeout as wait } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { startNameServer } from '../../deploy/local/demo-name-server.ts';
import { rawSocketAdvice } from '../../deploy/local/raw-sockets.ts';
import { eventually } from '../support/eventually.ts';
import { findFaults, type Ledger, type LedgerMonitor } from '../support/ledger.ts';
import { changeHoldsFrom, unixSeconds, until, untilRoomInMinute } from '../support/minutes.ts';
import type { RunningPart } from '../support/running-part.ts';
import { pickOne, seededRandom } from '../support/seeded-random.ts';
import { startSystem, type TestSystem } from '../support/system.ts';
import { startTcpTarget, type TcpTarget } from '../support/tcp-target.ts';

const REGIONS = ['eu', 'us', 'ap'];
/** Without raw sockets every PING is UNKNOWN, as it should be, and proves nothing here. */
const PING_WORKS = rawSocketAdvice() === null;
const OF_EACH_KIND = PING_WORKS ? 34 : 51;
const SHORT_ROUNDS = 2;
const LONG_OUTAGE_SECONDS = 125;
/** Backlogs drain, and the sweeper's 75 seconds pass. */
const SETTLE_MS = 200_000;
const TEST_LIMIT_MS = 900_000;

describe.concurrent('no minute is lost, doubled or invented while each part is killed in turn', () => {
  test.for([20_251, 77_003])('seed %i', { timeout: TEST_LIMIT_MS }, async (seed, { expect, onTestFinished }) => {
    const random = seededRandom(seed);
    const system = await startSystem({ regions: REGIONS, ownDatabase: true });
    onTestFinished(system.stop);
    const { monitors, visited, close } = await createMonitors(system);
    onTestFinished(close);
    const ledger: Ledger = { monitors, regions: REGIONS, outages: [] };
    await until(Math.max(...monitors.map(({ from }) => from)));
    const outage = killer(system, ledger, visited, random);

    const parts: PartName[] = ['collector', 'agent', 'nats', 'postgres'];
    for (let round = 0; round < SHORT_ROUNDS; round += 1)
      for (const part of shuffle(parts, random)) await outage([part], 1 + random() * 6);
    await outage(['collector', 'agent'], LONG_OUTAGE_SECONDS);
    await outage(['nats', 'postgres'], LONG_OUTAGE_SECONDS);

    const end = (Math.floor(unixSeconds() / 60) + 1) * 60;
    await until(end + 5);
    const faults = await settle(system, ledger, end);
    expect(faults.slice(0, 40), `${faults.length} faults`).toEqual([]);
  });
});

test('PING monitors take part in it', ({ skip }) => {
  skip(!PING_WORKS, 'PING monitors in the kill test need raw sockets (root, or setcap on node)');
});

type PartName = 'collector' | 'agent' | 'nats' | 'postgres';

/** Kills parts at seeded moments just after a check was seen, keeps them dead for a while, and brings them back. */
function killer(system: TestSystem, ledger: Ledger, visited: () => Promise<void>, random: () => number) {
  return async (names: PartName[], seconds: number): Promise<void> => {
    const region = pickOne(random, REGIONS);
    const dead: RunningPart[] = [];
    const began = unixSeconds();
    for (const name of names) {
      await wait(2000 + random() * 5000);
      await visited();
      await wait(random() * 60);
      const part = partOf(system, name, region);
      await part.kill9();
      dead.push(part);
    }
    await wait(seconds * 1000);
    for (const part of dead) await bringBack(part);
    if (names.includes('agent')) ledger.outages.push({ region, from: began, to: unixSeconds() });
  };
}

function partOf(system: TestSystem, name: PartName, region: string): RunningPart {
  const part = name === 'agent' ? system.agents.get(region) : system[name];
  if (!part) throw new Error(`the system has no ${name} that may be killed`);
  return part;
}

/** A server whose predecessor was killed may find that one's remains for a moment. */
async function bringBack(part: RunningPart): Promise<void> {
  await eventually(`${part.name} is back`, 60_000, () =>
    part.start().then(
      () => true,
      () => false,
    ),
  );
}

/** Waits until nothing is missing any more, at most as long as it may take; what is missing then stays missing. */
async function settle(system: TestSystem, ledger: Ledger, end: number): Promise<string[]> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const faults = await findFaults(system.pool, ledger, end);
    if (faults.length === 0 || Date.now() > deadline) return faults;
    await wait(2000);
  }
}

interface Targets {
  monitors: LedgerMonitor[];
  /** Resolves just after a check came. */
  visited: () => Promise<void>;
  close: () => Promise<void>;
}

/** A hundred monitors of the three kinds, whose targets are up all the time and, ICMP apart, count who comes. */
async function createMonitors(system: TestSystem): Promise<Targets> {
  const targets: TcpTarget[] = [];
  const questions = new Map<string, number[]>();
  const nameServer = await startNameServer(0, (name) => {
    questions.set(name, [...(questions.get(name) ?? []), unixSeconds()]);
    return true;
  });
  const monitors: LedgerMonitor[] = [];
  for (let n = 1; n <= OF_EACH_KIND; n += 1) {
    const target = await startTcpTarget();
    targets.push(target);
    const name = `n${n}.farwatch.test`;
    const asked = (minute: number): number =>
      (questions.get(name) ?? []).filter((time) => time >= minute && time < minute + 60).length;
    if (PING_WORKS) {
      const host = { type: 'IP4', host: `127.0.9.${n}` };
      monitors.push(await create(system, `ping-${n}`, 'PING', { hosts: [host] }, null));
    }
    monitors.push(
      await create(
        system,
        `tcp-${n}`,
        'TCP',
        { hosts: [{ type: 'IP4', host: '127.0.0.1', port: target.port }] },
        target.visitsIn,
      ),
      await create(
        system,
        `dns-${n}`,
        'DNS',
        { host: name, nameServer: `127.0.0.1:${nameServer.port}`, lookupRecord: 'A', values: ['127.0.0.1'] },
        asked,
      ),
    );
  }
  const count = (): number => targets.reduce((sum, { visits }) => sum + visits.length, 0);
  return {
    monitors,
    // Where no check comes any more, since a part is dead, the moment is as good as any.
    visited: async () => {
      const before = count();
      const deadline = Date.now() + 20_000;
      while (count() === before && Date.now() < deadline) await wait(1);
    },
    close: async () => {
      await Promise.all([nameServer.close(), ...targets.map((target) => target.close())]);
    },
  };
}

async function create(
  system: TestSystem,
  tag: string,
  kind: string,
  typeData: unknown,
  seenIn: LedgerMonitor['seenIn'],
): Promise<LedgerMonitor> {
  await untilRoomInMinute(1);
  const from = unixSeconds();
  const body = { tag, name: tag, monitor_type: kind, type_data: typeData };
  const answer = await system.rest.call('POST', '/monitors', body);
  if (answer.status !== 201) throw new Error(`${tag}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return { tag, from: changeHoldsFrom(from, unixSeconds()), seenIn };
}

function shuffle<T>(list: readonly T[], random: () => number): T[] {
  const keyed = list.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { changeHoldsFrom, unixSeconds, until, untilRoomInMinute } from '../support/minutes.ts';
import { startSystem, type TestSystem } from '../support/system.ts';
import { startTcpTarget, type TcpTarget } from '../support/tcp-target.ts';

const REGIONS = ['eu', 'us', 'ap'];
let system: TestSystem;
const targets: TcpTarget[] = [];

beforeAll(async () => {
  system = await startSystem({ regions: REGIONS, ownDatabase: false });
});

afterAll(async () => {
  await system.stop();
  await Promise.all(targets.map((target) => target.close()));
});

describe.concurrent('a monitor on the running system', () => {
  test('created through REST has its first point in the next due minute, from every region', async () => {
    const target = await openTarget();
    const minute = await createTcpMonitor('first', target.port);
    const seen = await eventually(
      'a point from each region and one of all',
      (minute + 60 - unixSeconds()) * 1000,
      async () => {
        const points = await Promise.all(
          [undefined, ...REGIONS].map((region) => system.rest.points('first', minute - 300, minute + 120, region)),
        );
        return points.every((list) => list.length > 0) && points;
      },
    );
    for (const points of seen) expect(points).toMatchObject([{ timestamp: minute, status: 'UP', type: 'REALTIME' }]);
    expect(seen.flat().every(({ latency }) => latency > 0 && latency < 100)).toBe(true);
    expect(target.visitsIn(minute)).toBe(REGIONS.length);
  });

  test('changed by PATCH is checked the new way from the next due minute on, and not at all once INACTIVE', async () => {
    const [before, after] = [await openTarget(), await openTarget()];
    const created = await createTcpMonitor('changed', before.port);
    await until(created + 50);
    expect(before.visitsIn(created)).toBe(REGIONS.length);

    const moved = await change('changed', { type_data: tcpData(after.port) });
    await until(moved + 50);
    expect(after.visitsIn(moved)).toBe(REGIONS.length);
    expect(before.visits.filter((time) => time >= moved)).toEqual([]);

    const stopped = await change('changed', { status: 'INACTIVE' });
    await until(stopped + 62);
    expect(after.visits.filter((time) => time >= stopped)).toEqual([]);
    const points = await system.rest.points('changed', created - 600, stopped + 60);
    expect(points.map(({ timestamp }) => timestamp)).toEqual(minutesBetween(created, stopped));
  });

  test('turns DOWN when its target goes away and UP when it comes back', async () => {
    const target = await openTarget();
    const created = await createTcpMonitor('leaves', target.port);
    await until(created + 50);
    await target.close();
    await until(created + 110);
    await target.reopen();
    const last = created + 120;
    const points = await eventually('a point after the return', (last + 60 - unixSeconds()) * 1000, async () => {
      const list = await system.rest.points('leaves', created, last + 60);
      return list.length === 3 && list;
    });
    expect(points.map(({ timestamp, status }) => [timestamp, status])).toEqual([
      [created, 'UP'],
      [created + 60, 'DOWN'],
      [last, 'UP'],
    ]);
  });
});

async function openTarget(): Promise<TcpTarget> {
  const target = await startTcpTarget();
  targets.push(target);
  return target;
}

function tcpData(port: number): unknown {
  return { hosts: [{ type: 'IP4', host: '127.0.0.1', port, timeout: 1000 }] };
}

/** Returns the first minute in which the new monitor is due. */
async function createTcpMonitor(tag: string, port: number): Promise<number> {
  await untilRoomInMinute(3);
  const from = unixSeconds();
  const { status } = await system.rest.call('POST', '/monitors', {
    tag,
    name: tag,
    monitor_type: 'TCP',
    type_data: tcpData(port),
  });
  expect(status).toBe(201);
  return changeHoldsFrom(from, unixSeconds());
}

/** Returns the first minute in which the change holds. */
async function change(tag: string, body: unknown): Promise<number> {
  await untilRoomInMinute(3);
  const from = unixSeconds();
  expect((await system.rest.call('PATCH', `/monitors/${tag}`, body)).status).toBe(200);
  return changeHoldsFrom(from, unixSeconds());
}

function minutesBetween(from: number, to: number): number[] {
  return Array.from({ length: (to - from) / 60 }, (_, index) => from + index * 60);
}

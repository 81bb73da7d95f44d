import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { floorMinute, type Minute } from '../../../core/minute.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { createAgent } from '../../../db/agents.ts';
import { overwritePoint, readPoint } from '../../../db/points.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor, resultOf, stopClock, storeResults } from '../../support/monitoring-fixture.ts';

let database: TestDatabase;
let setClock: (at: number) => Promise<void>;
let now: Minute;
/** Each test is about a later hour, and about regions of its own. */
let hour = floorMinute(Date.now() / 1000) - 100 * 3600;
let round = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  setClock = await stopClock(database.pool, hour);
  // What holds from a named minute is named by the standing clock, too.
  await database.pool.query(
    `create or replace function next_minute() returns timestamptz language sql volatile as
       $$ select date_trunc('minute', service_now() + interval '2 seconds', 'UTC') + interval '1 minute' $$`,
  );
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('update agents set revoked_at = service_now() where revoked_at is null');
  hour += 3600;
  now = floorMinute(hour);
  round += 1;
  await setClock(now);
  await database.pool.query(`update cursors set minute = to_timestamp($1) where name = 'swept_to'`, [now - 3600]);
});

interface Voter {
  regionId: number;
  agentId: number;
}

/** An agent in the region of that name, which is made at this moment where there is none; it is heard from now on. */
async function join(name: string, agent = `${name}-1`): Promise<Voter> {
  const created = await createAgent(database.pool, `${agent}-${round}`, regionName(name));
  if ('problem' in created) throw new Error(created.problem);
  await database.pool.query(`update agents set last_seen = 'infinity' where id = $1`, [created.agent.id]);
  return { regionId: created.agent.regionId, agentId: created.agent.id };
}

const regionName = (name: string): string => `${name}-${round}`;

async function leave({ agentId }: Voter): Promise<void> {
  await database.pool.query('update agents set revoked_at = service_now() where id = $1', [agentId]);
}

async function say(monitorId: number, minute: Minute, voter: Voter, status: Outcome['status']): Promise<void> {
  const latencyUs = status === 'UNKNOWN' ? null : 1000;
  await storeResults(database.pool, [resultOf({ monitorId, minute, ...voter, status, latencyUs })]);
}

const pointOf = async (monitorId: number, minute = now): Promise<string | undefined> =>
  (await readPoint(database.pool, monitorId, minute))?.status;

/** Of how many regions' votes a point was made. */
async function votesOf(monitorId: number, minute: Minute): Promise<number | undefined> {
  const { rows } = await database.pool.query<{ known: number }>(
    'select known from data_points where monitor_id = $1 and minute = to_timestamp($2)',
    [monitorId, minute],
  );
  return rows[0]?.known;
}

/** Regions that have been there for an hour. */
async function settled(...names: string[]): Promise<Voter[]> {
  await setClock(now - 3600);
  const voters: Voter[] = [];
  for (const name of names) voters.push(await join(name));
  await setClock(now + 20);
  return voters;
}

test('a region that is added in the middle of a minute votes from the next one on', async () => {
  const [a, b] = await settled('a', 'b');
  const id = await addMonitor(database.pool, `added-${round}`);
  const c = await join('c');
  if (a === undefined || b === undefined) throw new Error('two regions');
  await say(id, now, a, 'UP');
  await say(id, now, b, 'UP');
  expect(await pointOf(id)).toBe('UP');
  await setClock(now + 80);
  await say(id, now + 60, a, 'UP');
  await say(id, now + 60, b, 'UP');
  expect(await pointOf(id, now + 60)).toBeUndefined();
  await say(id, now + 60, c, 'DOWN');
  expect(await pointOf(id, now + 60)).toBe('DEGRADED');
});

test('a region whose last agent is revoked in the middle of a minute is not waited for, and what it said counts', async () => {
  const [a, b, c] = await settled('a', 'b', 'c');
  const [id, other] = [
    await addMonitor(database.pool, `gone-${round}`),
    await addMonitor(database.pool, `said-${round}`),
  ];
  if (a === undefined || b === undefined || c === undefined) throw new Error('three regions');
  await say(other, now, c, 'DOWN');
  await leave(c);
  for (const monitorId of [id, other]) {
    await say(monitorId, now, a, 'UP');
    expect(await pointOf(monitorId)).toBeUndefined();
    await say(monitorId, now, b, 'UP');
  }
  expect(await pointOf(id)).toBe('UP');
  expect(await pointOf(other)).toBe('DEGRADED');
});

test('regions and quorum that are changed in the middle of a minute judge from the next one on', async () => {
  const [a, b] = await settled('a', 'b');
  if (a === undefined || b === undefined) throw new Error('two regions');
  const id = await addMonitor(database.pool, `moved-${round}`, { regions: [regionName('a'), regionName('b')] });
  await database.pool.query('update monitors set monitor_settings_json = $2 where id = $1', [
    id,
    JSON.stringify({ regions: [regionName('a')], quorum: 'any' }),
  ]);
  await say(id, now, a, 'DOWN');
  expect(await pointOf(id)).toBeUndefined();
  await say(id, now, b, 'UP');
  expect(await pointOf(id)).toBe('DEGRADED');
  await setClock(now + 80);
  await say(id, now + 60, b, 'UP');
  expect(await pointOf(id, now + 60)).toBeUndefined();
  await say(id, now + 60, a, 'DOWN');
  expect(await pointOf(id, now + 60)).toBe('DOWN');
  // It would be DOWN with the other region's vote, too.
  expect(await votesOf(id, now + 60)).toBe(1);
});

test('of two agents of a region that disagree, the one that reached the target counts, whoever comes later', async () => {
  const [a, b] = await settled('a', 'b');
  if (a === undefined || b === undefined) throw new Error('two regions');
  const id = await addMonitor(database.pool, `torn-${round}`);
  const second = await join('a', 'a-2');
  await say(id, now, b, 'DOWN');
  await say(id, now, second, 'UNKNOWN');
  expect(await pointOf(id)).toBeUndefined();
  await say(id, now, a, 'DOWN');
  expect(await pointOf(id)).toBe('DOWN');
  await say(id, now, second, 'UP');
  expect(await pointOf(id)).toBe('DEGRADED');
  await say(id, now, a, 'DOWN');
  expect(await pointOf(id)).toBe('DEGRADED');
});

test('a point that was written by hand stays, whatever the regions say before or after', async () => {
  const [a, b] = await settled('a', 'b');
  if (a === undefined || b === undefined) throw new Error('two regions');
  const id = await addMonitor(database.pool, `manual-${round}`);
  await say(id, now, a, 'DOWN');
  await overwritePoint(database.pool, id, now, { status: 'UP', latencyUs: 5 }, null);
  await say(id, now, b, 'DOWN');
  await setClock(now + 200);
  await say(id, now, b, 'UP');
  expect(await readPoint(database.pool, id, now)).toMatchObject({ status: 'UP', origin: 'MANUAL', latencyUs: 5 });
});

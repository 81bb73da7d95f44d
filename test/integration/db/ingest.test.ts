import { afterAll, beforeAll, expect, test } from 'vitest';
import { floorMinute } from '../../../core/minute.ts';
import type { Cause } from '../../../core/outcome.ts';
import { mergeResults, type RegionalResult } from '../../../core/result.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor, addRegion, resultOf, storeResults } from '../../support/monitoring-fixture.ts';
import { pickBelow, pickOne, seededRandom } from '../../support/seeded-random.ts';

let database: TestDatabase;
let place: { regionId: number; agentId: number };
let monitorId: number;
const now = floorMinute(Date.now() / 1000);

beforeAll(async () => {
  database = await createTestDatabase();
  place = await addRegion(database.pool, 'r1');
  monitorId = await addMonitor(database.pool, 'first');
});
afterAll(() => database.drop());

const at = (minute: number, given: Partial<RegionalResult> = {}): RegionalResult =>
  resultOf({ monitorId, minute, ...place, ...given });

test('every row is answered alone and in its place: new, known, for a monitor that is gone, for an impossible minute', async () => {
  const gone = await addMonitor(database.pool, 'gone');
  await database.pool.query('delete from monitors where id = $1', [gone]);
  const rows = [
    at(now, { monitorId: gone }),
    at(now),
    at(now - 200 * 86_400),
    at(now + 400 * 86_400),
    at(now, { status: 'DOWN', latencyUs: 0 }),
    at(now - 60),
  ];
  expect(await storeResults(database.pool, rows)).toEqual([
    'dropped',
    'stored',
    'dropped',
    'dropped',
    'duplicate',
    'stored',
  ]);
  expect(await storeResults(database.pool, rows.slice(1, 2))).toEqual(['duplicate']);
});

test('a row that the database refuses is dropped alone', async () => {
  const rows = Array.from({ length: 9 }, (_, index) => at(now - 3600 - index * 60));
  rows[3] = at(now - 3600 - 180, { error: 'a NUL \0 inside' });
  rows[7] = at(now - 3600 - 420, { cause: 'NOBODY' as Cause });
  const answers = await storeResults(database.pool, rows);
  expect(answers.map((answer, index) => (answer === 'stored' ? '' : `${index} ${answer}`)).filter(Boolean)).toEqual([
    '3 dropped',
    '7 dropped',
  ]);
});

test('what is stored comes back whole, packets and text included', async () => {
  const packets = { sent: 9, received: 7, minUs: 11, avgUs: 22, maxUs: 33, deviationUs: 4 };
  const error = `it's "quoted", \\slashed\n and ünïcödé 🙂`;
  const given = at(now - 7200, {
    status: 'DEGRADED',
    cause: 'RESOLVER',
    origin: 'TIMEOUT',
    error,
    packets,
    revision: 5,
  });
  const copied = at(now - 7260, { ...given, minute: now - 7260 });
  await storeResults(database.pool, [copied]);
  // The second meets a row, and so goes the other way in.
  await storeResults(database.pool, [copied, given]);
  const { rows } = await database.pool.query(
    'select * from check_results where minute in (to_timestamp($1), to_timestamp($2)) order by minute',
    [given.minute, copied.minute],
  );
  const stored = {
    monitor_id: monitorId,
    region_id: place.regionId,
    agent_id: place.agentId,
    revision: 5,
    status: 3,
    cause: 3,
    origin: 3,
    latency_us: 20_000,
    error,
    sent: 9,
    received: 7,
    min_us: 11,
    avg_us: 22,
    max_us: 33,
    deviation_us: 4,
  };
  expect(rows).toEqual([copied, given].map((row) => ({ ...stored, minute: new Date(row.minute * 1000) })));
});

test('what stands at the end is the join of all that was written, in any order of batches', async () => {
  const random = seededRandom(11);
  const must = new Map<number, RegionalResult>();
  for (let batch = 0; batch < 40; batch++) {
    const rows = Array.from({ length: 20 }, () =>
      at(now - 86_400 - pickBelow(random, 30) * 60, {
        status: pickOne(random, ['UP', 'DEGRADED', 'DOWN', 'UNKNOWN'] as const),
        agentId: pickBelow(random, 2) + 1,
        revision: pickBelow(random, 2) + 1,
        latencyUs: pickOne(random, [null, 0, 7]),
        origin: pickOne(random, ['REALTIME', 'ERROR'] as const),
        error: pickOne(random, [null, 'A', 'a', 'Ä', '_']),
      }),
    );
    for (const row of rows) must.set(row.minute, mergeResults(must.get(row.minute) ?? row, row));
    await storeResults(database.pool, rows);
  }
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `select extract(epoch from minute)::int8 as minute, agent_id, revision, latency_us, error, origin from check_results
     where minute between to_timestamp($1) and to_timestamp($2) order by minute`,
    [now - 86_400 - 1800, now - 86_400],
  );
  const expected = [...must.values()]
    .sort((a, b) => a.minute - b.minute)
    .map((row) => ({
      minute: row.minute,
      agent_id: row.agentId,
      revision: row.revision,
      latency_us: row.latencyUs,
      error: row.error,
      origin: row.origin === 'ERROR' ? 4 : 1,
    }));
  expect(rows).toEqual(expected);
});

import type pg from 'pg';
import { overwriteRange } from '../../db/points.ts';
import { rollUp } from '../../db/rollups.ts';
import { makeRoom } from '../../db/room.ts';
import { minutesInSpans } from '../../db/engines/engine.ts';
import type { TestApi } from '../support/api-server.ts';
import { fillDashboard } from '../support/dashboard-scene.ts';
import { pickBelow, seededRandom } from '../support/seeded-random.ts';

const DAY = 86_400;
const DAYS = 90;
/** What each public monitor has from the scene itself is younger. */
const KNOWN_SINCE = { shop: DAY, payments: 2 * DAY, mail: DAY, names: 0 };
/** Days of ninety on which something went wrong, and how fast it is otherwise, milliseconds. */
const HABITS = { shop: [3, 104], payments: [2, 31], mail: [5, 4.2], names: [1, 18] } as const;

/** A service in full use with three months behind it. */
export async function fillForPictures({ api, database: { pool } }: TestApi): Promise<void> {
  await fillDashboard(api, pool, 24);
  const now = Math.floor(Date.now() / 60_000) * 60;
  const begin = now - DAYS * DAY;
  await makeRoom(pool, 'data_points', minutesInSpans('data_points', { from: begin, to: now }));
  await makeRoom(pool, 'check_results', minutesInSpans('check_results', { from: now - DAY, to: now }));
  const random = seededRandom(11);
  const { rows } = await pool.query<{ id: number; tag: keyof typeof HABITS }>(
    'select id, tag from monitors where tag = any($1)',
    [Object.keys(HABITS)],
  );
  for (const { id, tag } of rows) {
    const end = now - KNOWN_SINCE[tag];
    const [troubles, latencyMs] = HABITS[tag];
    const point = { status: 'UP', latencyUs: latencyMs * 1000, deviationUs: 250 * latencyMs } as const;
    await overwriteRange(pool, id, { from: begin, to: end }, point);
    for (let trouble = 0; trouble < troubles; trouble += 1) {
      const from = begin + pickBelow(random, (DAYS - 3) * 1440) * 60;
      const to = from + (10 + pickBelow(random, 170)) * 60;
      const status = random() < 0.5 ? 'DOWN' : 'DEGRADED';
      const latencyUs = status === 'DOWN' ? 0 : latencyMs * 9000;
      await overwriteRange(pool, id, { from, to }, { status, latencyUs, deviationUs: 0 });
    }
  }
  // The shop's results sway already.
  const swaying = rows.filter(({ tag }) => tag !== 'shop').map(({ id }) => id);
  await pool.query(SWAY, [swaying, now]);
  await seeFromEverywhere(pool, now);
  await pool.query(`update cursors set minute = to_timestamp($1) where name = 'swept_to'`, [now - 120]);
  await pool.query(`update cursors set minute = to_timestamp($1) where name = 'rolled_to'`, [
    Math.floor(begin / 3600) * 3600,
  ]);
  await rollUp(pool);
}

/** Latencies as they are: by day and night, a little different each minute, and now and then far off. */
const SWAY = `
update data_points set latency_us = latency_us * (
  1 + 0.16 * sin(extract(epoch from minute) / 13000 + monitor_id) + 0.05 * random()
  + case when random() < 0.004 then 0.9 * random() else 0 end)
where monitor_id = any($1) and latency_us > 0 and minute < to_timestamp($2)`;

/** Each region answers for the points of the last hours as they are. */
async function seeFromEverywhere(pool: pg.Pool, now: number): Promise<void> {
  await pool.query(
    `insert into check_results
       (minute, monitor_id, agent_id, revision, latency_us, region_id, status, origin, cause, sent, received)
     select minute, monitor_id, agents.id, 1, latency_us * (0.6 + 0.5 * (region_id % 3)), region_id, points.status, 1, 1, 3, 3
     from data_points points join monitors on monitors.id = monitor_id cross join agents
     where tag in ('payments', 'mail', 'names') and minute >= to_timestamp($1) and minute < to_timestamp($2)
     on conflict do nothing`,
    [now - DAY, now],
  );
}

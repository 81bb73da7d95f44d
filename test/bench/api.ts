/**
 * Requests a second and the 99th percentile of four requests, beside the same statements in a bare node:http handler with
 * and without the one that looks up the key: over 1,000 monitors with a week of raw points and a year of roll-ups, ten of
 * them with a raw year. Rounds of the three take turns, so that all meet the same machine; the
 * program's own time on a processor is told too, since that a busy machine does not change much.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { createApiKey } from '../../db/api-keys.ts';
import { minutesInSpans } from '../../db/engines/engine.ts';
import { makeRoom } from '../../db/room.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import buildPrograms from '../support/build-programs.ts';
import {
  addBenchMonitors,
  closing,
  median,
  openBenchDatabase,
  say,
  writeHistory,
  type Closers,
} from './bench-database.ts';
import { startApi, started } from './bench-programs.ts';
import { load, type Load } from './http-load.ts';

const { values: options } = parseArgs({
  options: {
    monitors: { type: 'string', default: '1000' },
    rawDays: { type: 'string', default: '7' },
    rolledDays: { type: 'string', default: '365' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
});
const CONNECTIONS = 20;
const DAY = 86_400;

const INVENTED_HOURS = `
insert into data_points_hourly
  (monitor_id, hour, up, down, degraded, latency_count, latency_sum, latency_min, latency_max)
select id, date_trunc('hour', to_timestamp(at), 'UTC'), 60, 0, 0, 60, 1200000, 15000, 40000
from generate_series($2::int8, $3::int8 - 3600, 3600) as at cross join unnest($1::int[]) as id order by at, id
on conflict do nothing`;

const closers: Closers = [];
await closing(closers, run);

async function run(): Promise<void> {
  buildPrograms();
  const { url, pool } = await openBenchDatabase(closers);
  const to = Math.floor(Date.now() / 60_000) * 60;
  await writeDatabase(pool, to);
  const created = await createApiKey(pool, 'bench');
  const key = created?.key ?? '';
  const [api, bare] = [await freePort(), await freePort()];
  const { pid: apiPid = NaN } = await startApi(url, api, closers, {
    RATE_LIMIT_PER_KEY: '0',
    RATE_LIMIT_PER_ADDRESS: '0',
  });
  const bareProgram = fileURLToPath(new URL('./bare-api-process.ts', import.meta.url));
  const args = ['--import', 'tsx', bareProgram, url, String(bare)];
  const { pid: barePid = NaN } = await started(spawn(process.execPath, args, { stdio: 'inherit' }), bare, closers);
  const measure = await measurer(pool, key, { api: { port: api, pid: apiPid }, bare: { port: bare, pid: barePid } });
  const day = `start_ts=${to - DAY}&end_ts=${to}`;
  await measure('GET monitor', { path: () => '/api/v4/monitors/m7', status: 200 });
  await measure('GET a day of data', { path: () => `/api/v4/monitors/m5/data?${day}`, status: 200 });
  await measure('GET status', { path: () => '/api/v4/status', status: 200 });
  const body = JSON.stringify({ comment: 'A fix is out, we watch it', state: 'MONITORING' });
  await measure('POST comment', { path: (number) => `/api/v4/incidents/${number + 1}/comments`, body, status: 201 });
}

async function writeDatabase(pool: pg.Pool, to: number): Promise<void> {
  const begun = performance.now();
  const [monitors, rawDays, rolledDays] = [options.monitors, options.rawDays, options.rolledDays].map(Number);
  if (!monitors || !rawDays || !rolledDays) throw new Error('the sizes are numbers above 0');
  const ids = await addBenchMonitors(pool, monitors);
  const range = { from: to - rolledDays * DAY, to };
  await makeRoom(pool, 'data_points', minutesInSpans('data_points', range));
  await writeHistory(pool, ids, to, rawDays);
  await writeHistory(pool, ids.slice(0, 10), to - rawDays * DAY, rolledDays - rawDays);
  // A month at a time, so that no statement sorts a year.
  for (let from = range.from; from < to; from += 30 * DAY)
    await pool.query(INVENTED_HOURS, [ids, from, Math.min(from + 30 * DAY, to)]);
  await pool.query(`update cursors set minute = date_trunc('hour', now(), 'UTC') where name = 'rolled_to'`);
  // What autovacuum does in time.
  for (const table of ['data_points', 'data_points_hourly', 'monitors']) await pool.query(`vacuum (analyze) ${table}`);
  await pool.query(
    `insert into incidents (title, start_date_time, is_global, state, incident_source)
     select 'incident', 600, true, 'INVESTIGATING', 'API' from generate_series(1, $1)`,
    [CONNECTIONS],
  );
  say(`${monitors} monitors written in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
}

interface Asked {
  path: (connection: number) => string;
  body?: string;
  status: number;
}

interface Program {
  port: number;
  pid: number;
}

type Who = 'api' | 'bare' | 'keyed';
type Measured = Load & { cpuUs: number };

async function measurer(pool: pg.Pool, key: string, programs: { api: Program; bare: Program }) {
  const { rows } = await pool.query<{ server_version: string }>('show server_version');
  say(`PostgreSQL ${rows[0]?.server_version}, Node ${process.versions.node}, ${CONNECTIONS} connections, medians`);
  return async (name: string, asked: Asked): Promise<void> => {
    const rounds: Record<Who, Measured>[] = [];
    // The first round is not counted: it warms what runs.
    for (let round = 0; round <= Number(options.rounds); round += 1) {
      const loads = {
        api: await send(programs.api, asked, { key, prefix: '' }),
        bare: await send(programs.bare, asked, { key, prefix: '' }),
        keyed: await send(programs.bare, asked, { key, prefix: '/keyed' }),
      };
      if (round > 0) rounds.push(loads);
    }
    say(`${name}: ${report(rounds)}`);
  };
}

async function send(
  { port, pid }: Program,
  asked: Asked,
  { key, prefix }: { key: string; prefix: string },
): Promise<Measured> {
  const { path, body = '', status } = asked;
  const before = cpuUs(pid);
  const requests = (connection: number): string =>
    [
      `${body ? 'POST' : 'GET'} ${prefix}${path(connection)} HTTP/1.1`,
      'Host: bench',
      `Authorization: Bearer ${key}`,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  const ms = Number(options.seconds) * 1000;
  const done = await load(port, { connections: CONNECTIONS, ms, status }, requests);
  return { ...done, cpuUs: (cpuUs(pid) - before) / done.requests };
}

/** Time on a processor since the process began, in ticks of a hundredth of a second (proc(5)). */
function cpuUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function report(rounds: readonly Record<Who, Measured>[]): string {
  const middle = (who: Who, figure: keyof Measured) => median(rounds.map((round) => round[who][figure]));
  const figures = (who: Who) =>
    `${middle(who, 'perSecond').toFixed(0)}/s p99 ${middle(who, 'p99Ms').toFixed(1)} ms cpu ${middle(who, 'cpuUs').toFixed(0)} us`;
  const ratio = (who: Who) => median(rounds.map((round) => round.api.perSecond / round[who].perSecond)).toFixed(2);
  return `${figures('api')} | bare ${figures('bare')} (${ratio('bare')}) | bare with the key ${figures('keyed')} (${ratio('keyed')})`;
}

/**
 * A year of one monitor's points through GET /data against psql's \copy of the same columns: times, the first byte, and
 * how much the API's memory grows. The points were written minute by minute over all monitors, as in life.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApiKey } from '../../db/api-keys.ts';
import { engineOf } from '../../db/engine.ts';
import { minutesInSpans } from '../../db/engines/engine.ts';
import { keepHouse } from '../../db/housekeeping.ts';
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
import { startApi } from './bench-programs.ts';

const { values: options } = parseArgs({
  options: {
    monitors: { type: 'string', default: '20' },
    days: { type: 'string', default: '365' },
    rounds: { type: 'string', default: '7' },
  },
});
const DAYS = Number(options.days);
const POINTS = DAYS * 1440;

const closers: Closers = [];
await closing(closers, run);

async function run(): Promise<void> {
  buildPrograms();
  const { url, pool } = await openBenchDatabase(closers);
  const ids = await addBenchMonitors(pool, Number(options.monitors));
  const monitorId = ids[ids.length >> 1] ?? NaN;
  const to = Math.floor(Date.now() / 60_000) * 60;
  const range = { from: to - DAYS * 86_400, to };
  await makeRoom(pool, 'data_points', minutesInSpans('data_points', range));
  await writeHistory(pool, ids, to, DAYS);
  while ((await keepHouse(pool)).compressed > 0);
  // What autovacuum does in time.
  await pool.query('vacuum (analyze) data_points');
  const { name } = await engineOf(pool);
  say(`engine ${name}, ${ids.length} monitors, ${POINTS} points each`);
  const port = await freePort();
  const { pid = NaN } = await startApi(url, port, closers);
  const api = { base: `http://127.0.0.1:${port}`, pid };
  const created = await createApiKey(pool, 'bench');
  const path = `/api/v4/monitors/m${ids.indexOf(monitorId) + 1}/data?start_ts=${range.from}&end_ts=${range.to}`;
  const read = (): Promise<Reading> => readData(`${api.base}${path}`, created?.key ?? '');
  const folder = mkdtempSync(join(tmpdir(), 'farwatch-history-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const before = memoryMb(api.pid, 'VmRSS');
  // The first of each is not counted: it fills caches.
  await read();
  copy(url, monitorId, range, folder);
  const rounds = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const copyMs = copy(url, monitorId, range, folder);
    const reading = await read();
    if (reading.points !== POINTS) throw new Error(`read ${reading.points} points, not ${POINTS}`);
    rounds.push({ copyMs, ...reading });
    say(
      `\\copy ${copyMs.toFixed(0)} ms, GET ${reading.totalMs.toFixed(0)} ms, first byte ${reading.firstMs.toFixed(1)} ms`,
    );
  }
  const ratio = median(rounds.map(({ copyMs, totalMs }) => totalMs / copyMs));
  const first = median(rounds.map(({ firstMs }) => firstMs));
  const grown = memoryMb(api.pid, 'VmHWM') - before;
  say(
    `median ${ratio.toFixed(2)} of \\copy, first byte ${first.toFixed(1)} ms, memory grew by ${grown.toFixed(0)} MB at most`,
  );
}

interface Reading {
  totalMs: number;
  firstMs: number;
  points: number;
}

/** Counts points by the byte that opens each; the rest of the answer is not kept. */
async function readData(address: string, key: string): Promise<Reading> {
  const begun = performance.now();
  const [response] = (await once(get(address, { headers: { authorization: `Bearer ${key}` } }), 'response')) as [
    IncomingMessage,
  ];
  if (response.statusCode !== 200) throw new Error(`GET /data answered ${response.statusCode}`);
  let firstMs = 0;
  let braces = 0;
  // A response without an encoding gives buffers.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    firstMs ||= performance.now() - begun;
    for (let at = chunk.indexOf(0x7b); at >= 0; at = chunk.indexOf(0x7b, at + 1)) braces += 1;
  }
  // The envelope has one brace of its own.
  return { totalMs: performance.now() - begun, firstMs, points: braces - 1 };
}

function copy(url: string, monitorId: number, range: { from: number; to: number }, folder: string): number {
  const file = join(folder, 'points.csv');
  const query = `select 'm' as monitor_tag, date_part('epoch', minute)::int8 as timestamp,
    (array['UNKNOWN','UP','DEGRADED','DOWN'])[status] as status, latency_us / 1000::float8 as latency,
    (array['REALTIME','API','TIMEOUT','ERROR','MANUAL'])[origin] as type
    from data_points where monitor_id = ${monitorId} and minute >= to_timestamp(${range.from})
    and minute < to_timestamp(${range.to}) order by minute`;
  const begun = performance.now();
  const { status } = spawnSync(
    'psql',
    ['-X', '-q', url, '-c', `\\copy (${query.replaceAll('\n', ' ')}) to '${file}'`],
    {
      stdio: 'inherit',
    },
  );
  const elapsed = performance.now() - begun;
  if (status !== 0 || statSync(file).size === 0) throw new Error('psql did not copy');
  return elapsed;
}

/** A figure of the process's status in the kernel's books, MB. */
function memoryMb(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

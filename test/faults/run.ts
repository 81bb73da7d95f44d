import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import buildPrograms from '../support/build-programs.ts';
import { administer, databaseUrl, startDatabaseServer, type DatabaseServer } from '../support/database-server.ts';
import { here, makeNetwork } from '../support/network.ts';
import { groupBy } from './group-by.ts';
import { HOSTS_ARE_ONE } from './hosts.ts';
import { AGENTS } from './names.ts';
import type { Report } from './one-run.ts';
import { PLANTS } from './plant.ts';

/**
 * Runs the whole system under faults that a seed chooses, and judges what it stored by a ledger of its own
 * (docs/faults.md). Each run is a process with its own database server, ports and folder; where TEST_DATABASE_URL names a
 * server, it has a database there. Exit code 1 where anything was wrong.
 */
const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    'side-by-side': { type: 'string', default: '1' },
    minutes: { type: 'string', default: '5' },
    faults: { type: 'string', default: '28' },
    plant: { type: 'string' },
    dir: { type: 'string', default: join('.farwatch', 'faults') },
    keep: { type: 'boolean', default: false },
  },
});
const FIRST = Number(options.seed);
const RUNS = Number(options.runs);
const planted = PLANTS.find((one) => one === options.plant) ?? null;
if (options.plant !== undefined && planted === null) throw new Error(`--plant takes one of ${PLANTS.join(', ')}`);

/** Between the first runs side by side: their programs start, and load the processor most, one run after the other. */
const APART_MS = 10_000;

const waiting = Array.from({ length: RUNS }, (_, index) => FIRST + index);
/** Runs that are under way. */
const children = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    waiting.length = 0;
    for (const child of children) child.kill('SIGTERM');
  });
}
buildPrograms();
const server = process.env.TEST_DATABASE_URL ? await startDatabaseServer() : null;
const reports: Report[] = [];
let broken = 0;
try {
  await Promise.all(
    Array.from({ length: Math.min(RUNS, Number(options['side-by-side'])) }, (_, place) => runInTurn(place)),
  );
} finally {
  await server?.stop();
}
summarise();
process.exitCode = reports.length === RUNS && reports.every(isRight) && broken === 0 ? 0 : 1;

/** One run after the other; `place`: among those side by side. */
async function runInTurn(place: number): Promise<void> {
  await wait(place * APART_MS);
  for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
    const dir = resolve(options.dir, `seed-${seed}`);
    const report = await runSeed(seed, dir, server);
    if (report === null) {
      broken += 1;
      say(`seed ${seed}: the run itself broke, see ${join(dir, 'run.log')}`);
      continue;
    }
    reports.push(report);
    tell(report, dir);
    if (isRight(report) && !options.keep) rmSync(dir, { recursive: true, force: true });
  }
}

/** A run as a process of its own; null where it did not come to a verdict. */
async function runSeed(seed: number, dir: string, shared: DatabaseServer | null): Promise<Report | null> {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const database = shared && (await createDatabase(shared));
  const file = fileURLToPath(new URL('one-run-process.ts', import.meta.url));
  const told = {
    seed,
    dir,
    ...(database === null ? {} : { database: database.url }),
    minutes: options.minutes,
    faults: options.faults,
    ...(planted === null ? {} : { plant: planted }),
  };
  const args = Object.entries(told).flatMap(([name, value]) => [`--${name}`, String(value)]);
  // A given server is not reached from a network of the run's own.
  const isApart = HOSTS_ARE_ONE === null && database === null;
  const network = isApart ? await makeNetwork() : here;
  const [program = '', ...command] = network.inside(process.execPath, '--import', 'tsx', file, ...args);
  const log = openSync(join(dir, 'run.log'), 'a');
  try {
    const child = spawn(program, [...command, ...(isApart ? ['--apart'] : [])], { stdio: ['ignore', log, log] });
    children.add(child);
    await new Promise((resolve) => child.once('exit', resolve));
    children.delete(child);
  } finally {
    closeSync(log);
    await network.close();
    await database?.drop();
  }
  const path = join(dir, 'report.json');
  // Written by the run.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Report) : null;
}

async function createDatabase({ adminUrl, template }: DatabaseServer): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await administer(adminUrl, `create database ${name} template ${template}`);
  return {
    url: databaseUrl(adminUrl, name),
    drop: () => administer(adminUrl, `drop database if exists ${name} with (force)`),
  };
}

function isRight({ wrongs }: Report): boolean {
  return wrongs.length === 0;
}

function tell({ seed, wrongs, seconds, slots, faults }: Report, dir: string): void {
  const verdict = wrongs.length === 0 ? 'nothing wrong' : `${wrongs.length} wrong`;
  say(`seed ${seed}: ${verdict} after ${seconds} s; faults ${JSON.stringify(faults)}; slots ${JSON.stringify(slots)}`);
  if (wrongs.length === 0) return;
  for (const { kind, text } of wrongs.slice(0, 30)) say(`  ${kind}: ${text}`);
  say(`  timeline (${dir} has the plan, logs, ledger and what was stored):`);
  say(readFileSync(join(dir, 'timeline.txt'), 'utf8').replace(/^/gm, '    '));
}

function summarise(): void {
  const faults = new Map<string, number>();
  for (const report of reports)
    for (const [kind, count] of Object.entries(report.faults)) faults.set(kind, (faults.get(kind) ?? 0) + count);
  const minutes = reports.reduce((sum, report) => sum + report.minutes, 0);
  const slots = reports.reduce((sum, report) => sum + Object.values(report.slots).reduce((a, b) => a + b, 0), 0);
  const wrong = reports.filter(({ wrongs }) => wrongs.length > 0);
  say(
    `${reports.length} of ${RUNS} runs judged, ${minutes} minutes, ${slots} due slots, faults ${JSON.stringify(Object.fromEntries(faults))}`,
  );
  const programs = groupBy(
    reports.flatMap(({ programs }) => programs),
    ({ name }) => (AGENTS.some((agent) => agent === name) ? 'agent' : name.replace(/-[ab]$/, '')),
  );
  for (const [name, figures] of programs) {
    const cpuSeconds = figures.reduce((sum, one) => sum + one.cpuSeconds, 0) / reports.length;
    const most = Math.max(...figures.map(({ mostMib }) => mostMib));
    say(`${name}: ${cpuSeconds.toFixed(1)} s of processor in a run, ${most} MiB at most`);
  }
  for (const line of new Set(reports.flatMap(({ notRun }) => notRun))) say(line);
  if (broken > 0) say(`${broken} runs broke`);
  say(wrong.length === 0 ? 'nothing was found wrong' : `wrong: seeds ${wrong.map(({ seed }) => seed).join(', ')}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rawSocketAdvice } from '../../deploy/local/raw-sockets.ts';
import { openHosts, shareHost } from './hosts.ts';
import { runOnce } from './one-run.ts';
import { PLANTS } from './plant.ts';
import type { Closers } from './stand.ts';

/** One run in a process of its own, as run.ts starts it: its report is a file in its folder. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    dir: { type: 'string' },
    database: { type: 'string' },
    minutes: { type: 'string' },
    faults: { type: 'string' },
    plant: { type: 'string' },
    apart: { type: 'boolean' },
  },
});
const { seed, dir, database, minutes, faults } = values;
if (!seed || !dir || !minutes || !faults) throw new Error('run.ts starts this');
mkdirSync(dir, { recursive: true });
const closers: Closers = [];
// Whatever ends this process, no program of the run outlives it.
process.once('SIGTERM', () => void end(1));
process.once('uncaughtException', (error) => {
  console.error(error);
  void end(1);
});
const report = await runOnce(
  {
    seed: Number(seed),
    dir,
    databaseUrl: database ?? null,
    minutes: Number(minutes),
    faults: Number(faults),
    plant: PLANTS.find((one) => one === values.plant) ?? null,
    pings: rawSocketAdvice() === null,
    hosts: values.apart ? await openHosts() : shareHost(),
  },
  closers,
);
writeFileSync(join(dir, 'report.json'), JSON.stringify(report, null, 2));
await end(0);

async function end(exitCode: number): Promise<void> {
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  process.exit(exitCode);
}

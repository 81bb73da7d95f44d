import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rawSocketAdvice } from '../../deploy/local/raw-sockets.ts';
import { runOnce } from './one-run.ts';
import { PLANTS } from './plant.ts';

/** One run in a process of its own, as run.ts starts it: its report is a file in its folder. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    dir: { type: 'string' },
    database: { type: 'string' },
    minutes: { type: 'string' },
    faults: { type: 'string' },
    plant: { type: 'string' },
  },
});
const { seed, dir, database, minutes, faults } = values;
if (!seed || !dir || !database || !minutes || !faults) throw new Error('run.ts starts this');
mkdirSync(dir, { recursive: true });
const report = await runOnce({
  seed: Number(seed),
  dir,
  databaseUrl: database,
  minutes: Number(minutes),
  faults: Number(faults),
  plant: PLANTS.find((one) => one === values.plant) ?? null,
  pings: rawSocketAdvice() === null,
});
writeFileSync(join(dir, 'report.json'), JSON.stringify(report, null, 2));
process.exit(0);

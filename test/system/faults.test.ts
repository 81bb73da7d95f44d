import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { DATABASE_IS_SHARED } from '../faults/database.ts';
import { CLOCKS_STAY_TRUE } from '../faults/false-clock.ts';
import { HOSTS_ARE_ONE } from '../faults/hosts.ts';

const SEEDS = 3;
const LIMIT_MS = 900_000;

/** What the runs said at their end. */
let told = '';

// Each run also plants what must not happen and looks whether its ledger sees it.
test(
  'under faults of every kind no minute is lost, doubled or invented, and no target is called down that is up',
  {
    timeout: LIMIT_MS,
  },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'farwatch-faults-'));
    const seeds = ['--seed', '1', '--runs', `${SEEDS}`, '--side-by-side', `${SEEDS}`];
    const { code, output } = await runFaults(...seeds, '--dir', dir);
    told = output;
    expect(output, output).toContain(`${SEEDS} of ${SEEDS} runs judged`);
    expect(code, output).toBe(0);
    // What went wrong stays, to be looked at.
    rmSync(dir, { recursive: true });
  },
);

test('database servers are taken away in it', ({ skip }) => {
  skip(!inject('databaseServer').embedded, DATABASE_IS_SHARED);
  expect(told).toMatch(/"database server":[1-9]/);
  expect(told).not.toContain(DATABASE_IS_SHARED);
});

test('agents lose their network in it', ({ skip }) => {
  skip(!inject('databaseServer').embedded, DATABASE_IS_SHARED);
  skip(HOSTS_ARE_ONE !== null, HOSTS_ARE_ONE ?? '');
  expect(told).toMatch(/"offline":[1-9]/);
});

test('clocks are stepped in it', ({ skip }) => {
  skip(CLOCKS_STAY_TRUE !== null, CLOCKS_STAY_TRUE ?? '');
  expect(told).toMatch(/"clock step":[1-9]/);
});

function runFaults(...args: string[]): Promise<{ code: number; output: string }> {
  const runner = fileURLToPath(new URL('../faults/run.ts', import.meta.url));
  const { adminUrl, embedded } = inject('databaseServer');
  // Where any server will do each run has its own, which it kills.
  const env = { ...process.env, TEST_DATABASE_URL: embedded ? '' : adminUrl };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['--import', 'tsx', runner, ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? 1, output: stdout + stderr }),
    );
  });
}

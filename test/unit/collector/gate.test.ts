import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgentLedger } from '../../../collector/agent-ledger.ts';
import { createGate } from '../../../collector/gate.ts';
import { runJob } from '../../../collector/jobs.ts';
import { createLogger } from '../../../runtime/logger.ts';

const HOUR_MS = 3_600_000;
const logger = createLogger('test', 'silent');
let end: AbortController;
beforeEach(() => {
  end = new AbortController();
});
afterEach(() => end.abort());

async function turns(): Promise<void> {
  for (let count = 0; count < 20; count++) await turn();
}

/** Whether a wait at the gate ends by itself. */
async function passes(gate: ReturnType<typeof createGate>): Promise<boolean> {
  let passed = false;
  void gate.opened(HOUR_MS, end.signal).then(() => (passed = true));
  await turns();
  return passed;
}

describe('a gate', () => {
  it('that was opened while nobody waited lets through who comes next, once', async () => {
    const gate = createGate();
    gate.open();
    gate.open();
    expect([await passes(gate), await passes(gate)]).toEqual([true, false]);
  });

  it('that was opened for those who waited is closed behind them', async () => {
    const gate = createGate();
    const waiting = [passes(gate), passes(gate)];
    gate.open();
    expect(await Promise.all(waiting)).toEqual([true, true]);
    expect(await passes(gate)).toBe(false);
  });
});

it('a job that becomes due while it runs runs again at once', async () => {
  const due = createGate();
  let runs = 0;
  const run = async (): Promise<void> => {
    runs += 1;
    if (runs === 1) due.open();
  };
  const job = { name: 'test', everyMs: HOUR_MS, due, run };
  const ended = runJob(job, { nowMs: () => 0, ended: () => undefined, logger }, end.signal);
  await turns();
  expect(runs).toBe(2);
  end.abort();
  await ended;
});

it('an agent that connects while others are being recorded is recorded at once', async () => {
  const written: number[][] = [];
  const ledger = createAgentLedger(async (reports) => {
    written.push(reports.map(({ agentId }) => agentId));
    if (written.length === 1) ledger.connected(2, 'v');
  }, logger);
  ledger.connected(1, 'v');
  const running = ledger.run(end.signal);
  await turns();
  expect(written).toEqual([[1], [2]]);
  end.abort();
  await running;
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Spool } from '../../../../agent/spool/spool.ts';
import { createLogger } from '../../../../runtime/logger.ts';

const writer = fileURLToPath(new URL('../../../support/fixtures/spool-writer.ts', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farwatch-spool-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Lets a writer run and kills it after it has kept `count` results; returns those it said it had kept. */
async function killAfter(count: number, from: number): Promise<number[]> {
  const args = ['--import', 'tsx', writer, folder, String(from)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let text = '';
  child.stdout.setEncoding('utf8');
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.split('\n').length > count) child.kill('SIGKILL');
  }
  await exited;
  return text.split('\n').slice(0, -1).map(Number);
}

describe('a spool whose process is killed in the middle of commits', () => {
  it('has lost nothing of what it said it kept', async () => {
    const kept = new Set<number>();
    for (const [index, count] of [50, 333, 1001].entries()) {
      for (const id of await killAfter(count, 1 + index * 1_000_000)) kept.add(id);
    }
    const spool = await Spool.open({
      folder,
      bootId: 'boot',
      limitBytes: 2 ** 30,
      offsetOf: () => null,
      monotonicMs: () => 0,
      logger: createLogger('agent', 'silent'),
    });
    const found = new Set<number>();
    for (;;) {
      const parcel = await spool.takeBacklog(5000);
      if (parcel === null) break;
      if (parcel.kind === 'results') for (const { monitorId } of parcel.results) found.add(monitorId);
    }
    await spool.close();
    expect(kept.size).toBeGreaterThan(1000);
    expect([...kept].filter((id) => !found.has(id))).toEqual([]);
    expect(spool.state().counts.damagedRecords).toBe(0);
  }, 60_000);
});

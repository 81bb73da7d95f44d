import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder, SpoolLockedError } from '../../../../agent/spool/lock.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farwatch-lock-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const fixture = fileURLToPath(new URL('../../../support/fixtures/lock-holder.ts', import.meta.url));

/** A process that has the lock. */
async function holder(): Promise<{ kill: (signal: NodeJS.Signals) => void; exited: Promise<unknown> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', fixture, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  return { kill: (signal) => void child.kill(signal), exited };
}

describe('the lock of a folder', () => {
  it('is had by one at a time', async () => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(SpoolLockedError);
    await lock.release();
    for (let life = 0; life < 5; life += 1) {
      const again = await lockFolder(folder);
      await again.release();
    }
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('is refused while another process has it, even a stopped one, and taken over when that is dead', async () => {
    const other = await holder();
    await expect(lockFolder(folder)).rejects.toThrow(/another agent runs on/);
    other.kill('SIGSTOP');
    await expect(lockFolder(folder)).rejects.toThrow(SpoolLockedError);
    other.kill('SIGKILL');
    await other.exited;
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(SpoolLockedError);
    await lock.release();
  });

  it('goes to exactly one of many that take over at once', async () => {
    const other = await holder();
    other.kill('SIGKILL');
    await other.exited;
    for (let round = 0; round < 50; round += 1) {
      const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)));
      const locks = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
      expect(locks).toHaveLength(1);
      await locks[0]?.release();
    }
  });

  it('works in a folder whose path is longer than a socket’s may be', async () => {
    const deep = join(folder, 'a'.repeat(100), 'b'.repeat(100));
    mkdirSync(deep, { recursive: true });
    const lock = await lockFolder(deep);
    await expect(lockFolder(deep)).rejects.toThrow(SpoolLockedError);
    await lock.release();
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const fixture = fileURLToPath(new URL('../../support/fixtures/lifecycle-program.ts', import.meta.url));

/** Runs the fixture, sends `signal` once it has started, and gives its exit code and the lines it printed. */
async function runFixture(fault: string, signal?: NodeJS.Signals): Promise<{ code: number; lines: string[] }> {
  const child = spawn(process.execPath, ['--import', 'tsx', fixture, fault], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (signal && output.includes('started')) child.kill(signal);
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, lines: output.trim().split('\n') };
}

describe('runProgram', () => {
  it.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])(
    'on %s awaits loops, closes in reverse and exits 0',
    async (signal) => {
      expect(await runFixture('none', signal)).toEqual({
        code: 0,
        lines: ['started', 'loop ended', 'close second', 'close first'],
      });
    },
  );

  it.each([
    ['a loop', 'loop', ['started', 'close second', 'close first']],
    ['a loop that ends by itself', 'return', ['started', 'close second', 'close first']],
    ['its start', 'start', ['close second', 'close first']],
  ])('exits 1 and still closes when %s fails', async (_name, fault, lines) => {
    expect(await runFixture(fault)).toEqual({ code: 1, lines });
  });

  it('closes the rest when one part cannot close, and exits 1', async () => {
    expect(await runFixture('close', 'SIGTERM')).toEqual({ code: 1, lines: ['started', 'loop ended', 'close first'] });
  });
});

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';

const PROGRAM = fileURLToPath(new URL('../../support/fixtures/read-password-program.ts', import.meta.url));

/** Types lines at a real terminal, each when the program asks for it, and returns what the terminal showed. */
async function type(...lines: string[]): Promise<string> {
  const command = `'${process.execPath}' --import tsx '${PROGRAM}'`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const ended = new Promise((resolve) => child.once('close', resolve));
  for (const [index, line] of lines.entries()) {
    await eventually('a prompt', 60_000, () => shown.split(/password: |again: /).length === index + 2);
    child.stdin.write(line);
  }
  await ended;
  return shown;
}

it('takes a password that is typed twice at a terminal, without showing it', async () => {
  const shown = await type('Secret 12\u007f3\r', 'Secret 13\r');
  expect(shown).toContain('read "Secret 13" 9');
  expect(shown.replace(/read .*/, '')).not.toContain('Secret');
});

it('takes none that was typed in two ways, nor one that was broken off', async () => {
  expect(await type('Secret 13\r', 'Secret 14\r')).toContain('read null 0');
  expect(await type('Secret\u0003')).toContain('read null 0');
});

import { execFile, execFileSync, fork } from 'node:child_process';
import { promisify } from 'node:util';
import type { Figures } from './icmp-figures.ts';

const run = promisify(execFile);

/** fping's version line; installs it first where the system's package manager may. */
export function needFping(): string {
  try {
    return execFileSync('fping', ['-v'], { encoding: 'utf8' }).split('\n')[0] ?? '';
  } catch {
    // Not there: apt-get's own message says why it cannot be had, and the bench ends with it.
    execFileSync('apt-get', ['install', '-y', '-q', 'fping'], { stdio: ['ignore', 'ignore', 'inherit'] });
    return execFileSync('fping', ['-v'], { encoding: 'utf8' }).split('\n')[0] ?? '';
  }
}

/** fping over all addresses; CPU by the shell's `time`, whose resolution is a millisecond. */
export async function runFping(
  addresses: readonly string[],
  count: number,
  pacing: readonly string[],
): Promise<Figures> {
  const command = 'TIMEFORMAT="cpu %R %U %S"; time fping -q -c"$1" "${@:3}" -f <(echo "$2") 2>&1';
  const parameters = ['fping', String(count), addresses.join('\n'), '-t2000', ...pacing];
  const { stdout, stderr } = await run('bash', ['-c', command, ...parameters], { maxBuffer: 1e8 });
  const [, wall, user, system] = /cpu (\S+) (\S+) (\S+)/.exec(stderr) ?? [];
  const lines = [...stdout.matchAll(/= \d+\/(\d+)\/\S+ min\/avg\/max = [\d.]+\/([\d.]+)/g)];
  return {
    packets: addresses.length * count,
    received: lines.reduce((sum, [, received]) => sum + Number(received), 0),
    wallMs: Number(wall) * 1000,
    cpuUs: (Number(user) + Number(system)) * 1e6,
    averagesMs: lines.map(([, , average]) => Number(average)),
  };
}

/** It has been seen to end, or to wait for ever, without its last answers. */
const NET_PING_PATIENCE_MS = 30_000;

/** net-ping in a process of its own; the median of its rounds, or null where it did not finish them. */
export function runNetPing(addresses: readonly string[], count: number, rounds: number): Promise<Figures | null> {
  return new Promise((resolve) => {
    const child = fork(new URL('./icmp-net-ping.js', import.meta.url));
    const timer = setTimeout(() => child.kill('SIGKILL'), NET_PING_PATIENCE_MS);
    child.once('message', (figures) => resolve(figures as unknown as Figures));
    child.once('exit', () => {
      clearTimeout(timer);
      resolve(null);
    });
    child.send({ addresses, count, rounds });
  });
}

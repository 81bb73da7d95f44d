import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Names one process for good: its number, and when it began, since numbers are used again. */
export interface ProcessIdentity {
  pid: number;
  began: string;
}

/** The identity of a living process; null where there is none of that number. */
export function identify(pid: number): ProcessIdentity | null {
  const began = process.platform === 'linux' ? beganOnLinux(pid) : beganElsewhere(pid);
  return began === null ? null : { pid, began };
}

/** True while that very process lives. */
export function isAlive({ pid, began }: ProcessIdentity): boolean {
  return identify(pid)?.began === began;
}

/** Boot id and start time in clock ticks since boot (proc(5), field 22 of stat). A zombie has ended. */
function beganOnLinux(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in brackets and may itself hold brackets and blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
  } catch {
    // No such process.
    return null;
  }
}

function beganElsewhere(pid: number): string | null {
  const { status, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}

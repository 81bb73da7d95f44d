import { readdirSync, readFileSync } from 'node:fs';

/** One run of one tool. */
export interface Figures {
  packets: number;
  received: number;
  /** Hosts of which the tool says that it could not measure them. */
  unmeasured?: number;
  wallMs: number;
  /** User and system time of all its processes. */
  cpuUs: number;
  /** Each host's mean round trip. */
  averagesMs: number[];
}

/** CPU time a living process has used so far, over its threads (nanoseconds in the kernel's scheduler statistics). */
export function readCpuUs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const times = tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]));
  return times.reduce((sum, nanoseconds) => sum + nanoseconds / 1000, 0);
}

/** The most memory a living process has ever held, MB (10^6 bytes). */
export function readPeakRssMb(pid: number): number {
  const kib = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round((Number(kib) * 1024) / 1e6);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function spread(values: readonly number[]): { p50: number; p99: number } {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
}

export function describe({ packets, received, unmeasured = 0, wallMs, cpuUs }: Figures): string {
  const perPacket = (cpuUs / packets).toFixed(1).padStart(5);
  const perCore = Math.round((packets / cpuUs) * 1e6)
    .toString()
    .padStart(7);
  const lost = `${packets - received} without a reply, ${unmeasured} hosts unmeasured`;
  return `${perPacket} us CPU a packet, ${perCore} packets per core-second, ${Math.round(wallMs)} ms, ${lost}`;
}

/**
 * ICMP against fping and net-ping, the same loopback targets in one run: `npm run bench:icmp`. Runs compiled, as agents do.
 *
 * CPU is user + system of every process involved: for ours this process (the client) and the ICMP process, without the
 * start of Node; for net-ping its process, without the start of Node; for fping all of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startIcmp, type IcmpClient } from '../../agent/probes/icmp/client.ts';
import { needFping, runFping, runNetPing } from './icmp-peers.ts';
import { describe, median, readCpuUs, readPeakRssMb, spread, type Figures } from './icmp-figures.ts';

const PACKETS = 3;
const TIMEOUT_MS = 2000;
const ROUNDS = 5;
/** Hosts are started in steps of this: a timer for each of them would cost more than its packets. */
const PACE_MS = 10;

/** `count` addresses of 127.0.0.0/8. */
function targets(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `127.1.${Math.floor(index / 250)}.${1 + (index % 250)}`);
}

/** Asks all addresses, `spacingMs` apart (0: at once), and counts what it cost. */
async function runOurs(icmp: IcmpClient, addresses: readonly string[], spacingMs: number): Promise<Figures> {
  const { pid } = icmp;
  if (pid === undefined) throw new Error('the ICMP process does not run');
  const cpuBefore = readCpuUs(process.pid) + readCpuUs(pid);
  const startedAt = performance.now();
  const signal = new AbortController().signal;
  const asked = [];
  for (const [index, address] of addresses.entries()) {
    const waitMs = startedAt + index * spacingMs - performance.now();
    if (waitMs > PACE_MS) await sleep(waitMs);
    asked.push(icmp.ping(address, 4, PACKETS, TIMEOUT_MS, signal));
  }
  const echoes = await Promise.all(asked);
  return {
    packets: addresses.length * PACKETS,
    received: echoes.reduce((sum, { received }) => sum + received, 0),
    unmeasured: echoes.filter(({ problem }) => problem !== null).length,
    wallMs: performance.now() - startedAt,
    cpuUs: readCpuUs(process.pid) + readCpuUs(pid) - cpuBefore,
    averagesMs: echoes.map(({ avgUs }) => (avgUs ?? 0) / 1000),
  };
}

async function repeat(run: () => Promise<Figures>): Promise<Figures> {
  const figures = [];
  for (let round = 0; round < ROUNDS; round += 1) figures.push(await run());
  const cpuUs = median(figures.map((each) => each.cpuUs));
  return figures.find((each) => each.cpuUs === cpuUs) ?? raise();
}

function raise(): never {
  throw new Error('no figures');
}

function compare(name: string, ours: Figures, fping: Figures, netPing?: Figures | null): void {
  console.log(`\n${name}`);
  console.log(`  fping     ${describe(fping)}`);
  console.log(
    `  farwatch  ${describe(ours)}  = ${(fping.cpuUs / ours.cpuUs).toFixed(2)} x fping's packets per core-second`,
  );
  if (netPing === null) console.log('  net-ping  did not finish');
  else if (netPing) {
    console.log(`  net-ping  ${describe(netPing)}  = ${(fping.cpuUs / netPing.cpuUs).toFixed(2)} x fping's`);
  }
}

async function burst(icmp: IcmpClient, count: number): Promise<void> {
  const addresses = targets(count);
  const fping = await repeat(() => runFping(addresses, PACKETS, ['-i0', '-p10']));
  const ours = await repeat(() => runOurs(icmp, addresses, 0));
  const netPing = await runNetPing(addresses, PACKETS, ROUNDS);
  compare(`burst, ${count} hosts x ${PACKETS} (median of ${ROUNDS})`, ours, fping, netPing);
}

async function steady(icmp: IcmpClient, count: number, seconds: number): Promise<void> {
  const addresses = targets(count);
  const packetMs = Math.round((seconds * 1000) / count / PACKETS);
  const fpingArguments = [`-i${packetMs}`, `-p${packetMs * count}`];
  const fping = await runFping(addresses, PACKETS, fpingArguments);
  const ours = await runOurs(icmp, addresses, packetMs * PACKETS);
  compare(`steady, ${count} hosts x ${PACKETS} in ${seconds} s`, ours, fping);
  const [mine, theirs] = [spread(ours.averagesMs), spread(fping.averagesMs)];
  console.log(
    `  time per host, ms: farwatch p50 ${mine.p50} p99 ${mine.p99}, fping p50 ${theirs.p50} p99 ${theirs.p99}`,
  );
  console.log(
    `  error against fping's: p50 ${(mine.p50 - theirs.p50).toFixed(3)} ms, p99 ${(mine.p99 - theirs.p99).toFixed(3)} ms`,
  );
}

const icmp = startIcmp();
const { 4: problem } = await icmp.able();
if (problem) throw new Error(`this bench needs raw sockets: ${problem.detail}`);
console.log(`${needFping()} | node ${process.version}`);

const cold = await runOurs(icmp, targets(1000), 0);
console.log(`\nfirst round of a new process, 1000 hosts x ${PACKETS}\n  farwatch  ${describe(cold)}`);
await steady(icmp, 1000, 3);
await steady(icmp, 10_000, 60);
const [client, child] = [readPeakRssMb(process.pid), readPeakRssMb(icmp.pid ?? 0)];
console.log(`  peak RSS so far: client ${client} MB + ICMP process ${child} MB = ${client + child} MB (aim: 256)`);
await burst(icmp, 1000);
await burst(icmp, 10_000);
await icmp.close();

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { data } from '../support/dns-packet.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { witnessPings } from './ping-witness.ts';
import type { TargetLog } from './ledger.ts';
import type { TargetFault } from './plan.ts';
import { reservePort } from './ports.ts';

/** Something that monitors check, and its own word on who came and how it was answered. */
export interface Target {
  log: TargetLog;
  /** What a monitor says to check it. */
  check: { monitor_type: 'TCP' | 'DNS' | 'PING'; type_data: object };
  /** Null: it cannot be made to fail. */
  fail: ((how: TargetFault) => void) | null;
  mend: () => Promise<void>;
}

/** The targets of a run, all on loopback and all in this process. */
export interface Targets {
  add(kind: 'TCP' | 'DNS' | 'PING'): Promise<Target>;
  close(): Promise<void>;
}

/** A name server that answered this late was as good as silent: this process itself did not run. */
const STALL_MS = 1000;
const LOOK_MS = 100;

/** `pings`: where nobody can see who pings an address, PING targets only stand by. */
export async function openTargets(pings: boolean): Promise<Targets> {
  const closers: (() => Promise<unknown>)[] = [];
  const names = new Map<string, DnsName>();
  const server = await startDnsServer((name, type) => {
    const found = names.get(name);
    return found === undefined || type !== 'A' ? { rcode: 'NXDOMAIN' } : found.answer();
  });
  closers.push(() => server.close());
  const network = `127.${10 + (process.pid % 240)}.${10 + (Math.floor(process.pid / 240) % 240)}`;
  const pinged = new Map<string, TargetLog>();
  if (pings) closers.push(witnessPings((address, ms) => pinged.get(address)?.visits.push({ ms, answered: true })));
  const watching = new AbortController();
  const watched = watchOwnStalls(() => [...names.values()].map(({ target }) => target.log), watching.signal);
  closers.push(() => {
    watching.abort();
    return watched;
  });
  let count = 0;
  const blank = (kind: string): TargetLog => ({ key: `${kind}-${(count += 1)}`, visits: [], outages: [] });
  return {
    async add(kind) {
      const log = blank(kind.toLowerCase());
      if (kind === 'DNS') {
        const name = `${log.key}.farwatch.test`;
        const made = dnsName(log, name, server.address);
        names.set(name, made);
        return made.target;
      }
      if (kind === 'PING') {
        const address = `${network}.${(pinged.size % 250) + 1}`;
        pinged.set(address, log);
        const hosts = [{ type: 'IP4', host: address, timeout: 2000, count: 3 }];
        return { log, check: { monitor_type: 'PING', type_data: { hosts } }, fail: null, mend: async () => undefined };
      }
      const target = await tcpTarget(log);
      closers.push(target.close);
      return target;
    },
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}

interface DnsName {
  target: Target;
  answer: () => { rcode?: 'NXDOMAIN'; records?: Buffer[] } | 'silent';
}

function dnsName(log: TargetLog, name: string, nameServer: string): DnsName {
  let failing: TargetFault | null = null;
  return {
    answer() {
      log.visits.push({ ms: Date.now(), answered: failing === null });
      if (failing === 'silent') return 'silent';
      if (failing === 'lies') return { records: [data.a('127.0.0.99')] };
      return failing === null ? { records: [data.a('127.0.0.1')] } : { rcode: 'NXDOMAIN' };
    },
    target: {
      log,
      check: {
        monitor_type: 'DNS',
        type_data: { host: name, nameServer, lookupRecord: 'A', values: ['127.0.0.1'] },
      },
      fail(how) {
        failing = how;
        log.outages.push({ fromMs: Date.now(), toMs: Infinity });
      },
      async mend() {
        failing = null;
        endOutage(log);
      },
    },
  };
}

async function tcpTarget(log: TargetLog): Promise<Target & { close: () => Promise<void> }> {
  const port = await reservePort();
  let server: Server | null = await listen(port, log);
  const close = async (): Promise<void> => {
    server?.close();
    server = null;
  };
  return {
    log,
    check: {
      monitor_type: 'TCP',
      type_data: { hosts: [{ type: 'IP4', host: '127.0.0.1', port, timeout: 2000 }] },
    },
    fail() {
      log.outages.push({ fromMs: Date.now(), toMs: Infinity });
      void close();
    },
    async mend() {
      server = await listen(port, log);
      endOutage(log);
    },
    close,
  };
}

async function listen(port: number, log: TargetLog): Promise<Server> {
  const server = createServer((socket) => {
    log.visits.push({ ms: Date.now(), answered: true });
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.resume();
  });
  server.listen({ port, host: '127.0.0.1', backlog: 511 });
  await once(server, 'listening');
  return server;
}

function endOutage({ outages }: TargetLog): void {
  const last = outages.at(-1);
  if (last !== undefined) last.toMs = Date.now();
}

/** Writes down when this process did not run: its name server was silent then, whatever it should have said. */
async function watchOwnStalls(logs: () => TargetLog[], signal: AbortSignal): Promise<void> {
  let beforeMs = Date.now();
  while (!signal.aborted) {
    await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
    const nowMs = Date.now();
    if (nowMs - beforeMs > STALL_MS)
      for (const { outages } of logs()) outages.unshift({ fromMs: beforeMs, toMs: nowMs });
    beforeMs = nowMs;
  }
}

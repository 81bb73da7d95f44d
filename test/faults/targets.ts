import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { data } from '../support/dns-packet.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { startFullQueue, type FullQueue } from '../support/full-queue.ts';
import type { Hosts } from './hosts.ts';
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
  fail: ((how: TargetFault) => Promise<void>) | null;
  mend: () => Promise<void>;
}

/** The targets of a run, all in this process. */
export interface Targets {
  add(kind: 'TCP' | 'DNS' | 'PING'): Promise<Target>;
  close(): Promise<void>;
}

/** A target that answered this late was as good as silent: this process itself did not run. */
const STALL_MS = 1000;
const LOOK_MS = 100;

/** `pings`: where nobody can see who pings an address, PING targets only stand by. */
export async function openTargets(pings: boolean, hosts: Hosts): Promise<Targets> {
  const closers: (() => Promise<unknown>)[] = [];
  const names = new Map<string, DnsName>();
  const server = await startDnsServer((name, type) => {
    const found = names.get(name);
    return found === undefined || type !== 'A' ? { rcode: 'NXDOMAIN' } : found.answer();
  }, hosts.address);
  closers.push(() => server.close());
  const pinged = new Map<string, Pinged>();
  if (pings) closers.push(witnessPings((address, ms) => pinged.get(address)?.ask(ms) ?? 'leave'));
  const ownAnswers = (): TargetLog[] =>
    [...names.values(), ...(hosts.mute ? pinged.values() : [])].map(({ target }) => target.log);
  const watching = new AbortController();
  const watched = watchOwnStalls(ownAnswers, watching.signal);
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
        const address = `${hosts.pingNetwork}.${(pinged.size % 250) + 1}`;
        const made = pingAddress(log, address, hosts.mute);
        pinged.set(address, made);
        return made.target;
      }
      const target = await tcpTarget(log, hosts.address);
      closers.push(target.close);
      return target;
    },
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}

interface Pinged {
  target: Target;
  ask: (ms: number) => 'reply' | 'leave';
}

/** An address that is silent while it fails; where the kernel answers it cannot fail. */
function pingAddress(log: TargetLog, address: string, mute: boolean): Pinged {
  let isSilent = false;
  const fail = async (): Promise<void> => {
    isSilent = true;
    log.outages.push({ fromMs: Date.now(), toMs: Infinity });
  };
  const hosts = [{ type: 'IP4', host: address, timeout: 2000, count: 3 }];
  return {
    ask(ms) {
      log.visits.push({ ms, answered: !isSilent });
      return mute && !isSilent ? 'reply' : 'leave';
    },
    target: {
      log,
      check: { monitor_type: 'PING', type_data: { hosts } },
      fail: mute ? fail : null,
      async mend() {
        isSilent = false;
        endOutage(log);
      },
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
      async fail(how) {
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

async function tcpTarget(log: TargetLog, host: string): Promise<Target & { close: () => Promise<void> }> {
  const port = await reservePort();
  let server: Server | null = await listen(host, port, log);
  let silence: FullQueue | null = null;
  const close = async (): Promise<void> => {
    server?.close();
    server = null;
    await silence?.close();
    silence = null;
  };
  return {
    log,
    check: {
      monitor_type: 'TCP',
      type_data: { hosts: [{ type: 'IP4', host, port, timeout: 2000 }] },
    },
    async fail(how) {
      log.outages.push({ fromMs: Date.now(), toMs: Infinity });
      await close();
      if (how === 'silent') silence = await startFullQueue(host, port);
    },
    async mend() {
      await close();
      server = await listen(host, port, log);
      endOutage(log);
    },
    close,
  };
}

async function listen(host: string, port: number, log: TargetLog): Promise<Server> {
  const server = createServer((socket) => {
    log.visits.push({ ms: Date.now(), answered: true });
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.resume();
  });
  server.listen({ port, host, backlog: 511 });
  await once(server, 'listening');
  return server;
}

function endOutage({ outages }: TargetLog): void {
  const last = outages.at(-1);
  if (last !== undefined) last.toMs = Date.now();
}

/** Writes down when this process did not run: what it answers itself was silent then, whatever it should have said. */
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

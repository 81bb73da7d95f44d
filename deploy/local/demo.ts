import { networkInterfaces } from 'node:os';
import { sleep } from '../../runtime/time.ts';
import { DEMO_NAME } from './demo-name-server.ts';

const POLL_MS = 500;
const HISTORY_SECONDS = 86_400;

/** The REST API as the launcher uses it. */
export interface Client {
  baseUrl: string;
  apiKey: string;
}

interface DemoMonitor {
  tag: string;
  name: string;
  description: string;
  monitor_type: string;
  type_data: Record<string, unknown>;
}

/** One monitor of each kind, all on this host: no packet leaves it. */
function demoMonitors(apiPort: number, dnsPort: number): DemoMonitor[] {
  const ping = (host: string, type: string) => ({ hosts: [{ type, host, timeout: 1000, count: 3 }] });
  const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
  const monitors: DemoMonitor[] = [
    {
      tag: 'demo-ping',
      name: 'This host (PING)',
      description: 'Three ICMP packets to 127.0.0.1',
      monitor_type: 'PING',
      type_data: ping('127.0.0.1', 'IP4'),
    },
    {
      tag: 'demo-tcp',
      name: 'This API (TCP)',
      description: 'Connects to the port where the API listens',
      monitor_type: 'TCP',
      type_data: { hosts: [{ type: 'IP4', host: '127.0.0.1', port: apiPort, timeout: 1000 }] },
    },
    {
      tag: 'demo-dns',
      name: 'A small name server (DNS)',
      description: 'Asks the name server that the launcher runs on loopback',
      monitor_type: 'DNS',
      type_data: {
        host: DEMO_NAME,
        nameServer: `127.0.0.1:${dnsPort}`,
        lookupRecord: 'A',
        matchType: 'ANY',
        values: ['127.0.0.1'],
      },
    },
  ];
  if (!hasIpv6) return monitors;
  const six = { tag: 'demo-ping-v6', name: 'This host, IPv6 (PING)', description: 'Three ICMPv6 packets to ::1' };
  return [...monitors, { ...six, monitor_type: 'PING', type_data: ping('::1', 'IP6') }];
}

/**
 * Creates the demo's monitors where they are missing, on the first page while that is empty, and tells those whose target
 * moved to another port. Returns the tags of those that run.
 */
export async function provideDemo(client: Client, ports: { api: number; dns: number }): Promise<string[]> {
  const running: string[] = [];
  const made: string[] = [];
  for (const wanted of demoMonitors(ports.api, ports.dns)) {
    const { status, body } = await call<{ monitor: { status: string; type_data: unknown } }>(
      client,
      'GET',
      `/monitors/${wanted.tag}`,
    );
    if (status === 404) {
      await expectSuccess(client, 'POST', '/monitors', wanted);
      made.push(wanted.tag);
    } else if (moved(body.monitor.type_data, wanted.type_data)) {
      await expectSuccess(client, 'PATCH', `/monitors/${wanted.tag}`, { type_data: wanted.type_data });
    }
    if (status === 404 || body.monitor.status === 'ACTIVE') running.push(wanted.tag);
  }
  if (made.length > 0) await showOnFirstPage(client, made);
  return running;
}

/** What somebody has put on the first page stays as it is. */
async function showOnFirstPage(client: Client, tags: string[]): Promise<void> {
  const { status, body } = await call<{ page: { monitors: unknown[] } }>(client, 'GET', '/pages/~home');
  if (status !== 200 || body.page.monitors.length > 0) return;
  await expectSuccess(client, 'PATCH', '/pages/~home', { monitors: tags });
}

/** Waits until a point of one of the monitors can be read. */
export async function firstPoint(client: Client, tags: string[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted && tags.length > 0) {
    const now = Math.floor(Date.now() / 1000);
    for (const tag of tags) {
      const range = `start_ts=${now - HISTORY_SECONDS}&end_ts=${now + 60}`;
      const { status, body } = await call<{ data: unknown[] }>(client, 'GET', `/monitors/${tag}/data?${range}`);
      if (status === 200 && body.data.length > 0) return;
    }
    await sleep(POLL_MS, signal);
  }
}

/** The demo's own targets are told apart from a user's by the loopback address they stand on. */
function moved(stored: unknown, wanted: Record<string, unknown>): boolean {
  const port = (data: unknown): string | undefined =>
    /"(?:nameServer":"127\.0\.0\.1:|port":)(\d+)/.exec(JSON.stringify(data))?.[1];
  return port(stored) !== port(wanted);
}

async function expectSuccess(client: Client, method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await call(client, method, path, body);
  if (status >= 300) throw new Error(`the API answered ${status} to ${method} ${path}: ${text}`);
}

async function call<T>(
  { baseUrl, apiKey }: Client,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; text: string; body: T }> {
  const response = await fetch(`${baseUrl}/api/v4${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  // The shape is the API's contract with its clients.
  return { status: response.status, text, body: JSON.parse(text) as T };
}

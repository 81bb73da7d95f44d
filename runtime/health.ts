import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from './listen-address.ts';
import type { Metrics } from './metrics.ts';

/** The parts of a program by name; null where one works, else what is wrong with it in a few words. */
export type HealthReport = Record<string, string | null>;

export interface HealthServer {
  /** Where it listens, with the port it was given. */
  address: ListenAddress;
  close(): Promise<void>;
}

/** Those who ask are few, and ask at once: whoever does not is no scraper, and is not let stay. */
const LIMITS = {
  headersTimeout: 5000,
  requestTimeout: 5000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 8192,
};
const MAX_CONNECTIONS = 100;
/** Neither side has sent anything for this long. */
const SILENCE_MS = 15_000;

/**
 * Answers `GET /healthz`: 200 where every part works, else 503; the body names the parts. And `GET /metrics`: the
 * program's figures for Prometheus. Both are for whoever runs the program, not for the public. `notes` are lines for the
 * body about what should be mended although every part works.
 */
export async function serveHealth(
  listen: ListenAddress,
  check: () => Promise<HealthReport>,
  metrics: Metrics,
  notes: () => string[] = () => [],
): Promise<HealthServer> {
  const server = createServer(LIMITS, ({ method, url }, response) => {
    if (url !== '/healthz' && url !== '/metrics') response.writeHead(404).end();
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end();
    else if (url === '/healthz') void answer(response, check, notes);
    else void answerScrape(response, metrics);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(SILENCE_MS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(listen.port, listen.host, resolve);
  });
  // A TCP server that listens has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    address: { host: listen.host, port },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  response: ServerResponse,
  check: () => Promise<HealthReport>,
  notes: () => string[],
): Promise<void> {
  let report: HealthReport;
  try {
    report = await check();
  } catch {
    // A check that breaks is itself the news; what it met is logged where it happened.
    report = { check: 'failed' };
  }
  const healthy = Object.values(report).every((problem) => problem === null);
  response.writeHead(healthy ? 200 : 503, { 'content-type': 'application/json' });
  const lines = notes();
  const body = { status: healthy ? 'ok' : 'unavailable', parts: report, ...(lines.length > 0 && { notes: lines }) };
  response.end(JSON.stringify(body));
}

async function answerScrape(response: ServerResponse, metrics: Metrics): Promise<void> {
  const { contentType, text } = await metrics.scrape();
  response.writeHead(200, { 'content-type': contentType }).end(text);
}

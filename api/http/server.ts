import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { ListenAddress } from '../../runtime/listen-address.ts';
import { sleep } from '../../runtime/time.ts';
import { messagesFor } from './messages.ts';

/** How long a client may take; who takes longer is cut off, answered 408 where that is still possible. */
export interface Patience {
  headersMs: number;
  /** The headers and the body. */
  requestMs: number;
  /** How often the two are looked at. */
  lookEveryMs: number;
  /** For so long it may take nothing of an answer that waits for it. More than `headersMs`: silence ends a request too. */
  stalledMs: number;
}

const PATIENCE: Patience = { headersMs: 10_000, requestMs: 30_000, lookEveryMs: 2000, stalledMs: 30_000 };
/** Longer than load balancers keep an idle connection, so that none sends into one that is being closed. */
const KEEP_ALIVE_MS = 65_000;
/** Requests in flight have this long to end at a shutdown; then their connections are cut. */
const DRAIN_MS = 8_000;

export interface RunningServer {
  address: ListenAddress;
  /** Takes no more requests, lets those in flight end, then cuts what is left. */
  close(): Promise<void>;
}

/** Listens; resolves when it does. */
export async function listen(
  app: Express,
  address: ListenAddress,
  patience: Patience = PATIENCE,
): Promise<RunningServer> {
  const server = createServer({
    ...messagesFor(app),
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: patience.lookEveryMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Otherwise node answers by itself, in a form of its own.
    requireHostHeader: false,
  });
  server.setTimeout(patience.stalledMs);
  for (const event of ['request', 'checkExpectation'] as const)
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      endStalled(response, patience.stalledMs);
      app(request, response);
    });
  server.on('clientError', answerUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address.port, address.host, () => resolve());
  });
  // A server that listens on TCP has an address of that form.
  const { port } = server.address() as AddressInfo;
  return { address: { host: address.host, port }, close: () => close(server) };
}

/** Silence while an answer is made is ours, not the client's. Between two answers node ends the connection by itself. */
function endStalled(response: ServerResponse, stalledMs: number): void {
  response.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(stalledMs);
  });
}

async function close(server: Server): Promise<void> {
  const drained = new AbortController();
  const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => drained.abort());
  // A connection that was in use when the server closed is idle a moment later and would be kept alive.
  server.on('request', (_request, response) => void (response.shouldKeepAlive = false));
  const started = performance.now();
  while (!drained.signal.aborted && performance.now() - started < DRAIN_MS) {
    server.closeIdleConnections();
    await sleep(50, drained.signal);
  }
  server.closeAllConnections();
  await closed;
}

/** What is not HTTP, or too slow, or has too long headers, never reaches a route; it is answered in the same form. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET' || ('_httpMessage' in socket && socket._httpMessage)) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const reason = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({ error: { code: 'BAD_REQUEST', message: reason } });
  const head = [`HTTP/1.1 ${status} ${reason}`, 'Connection: close', 'Content-Type: application/json; charset=utf-8'];
  socket.end([...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'));
}

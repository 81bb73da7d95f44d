/**
 * What `bench:api` compares with: node:http and pg, and the same statements, with nothing around them. Below /keyed/ the
 * statement that looks up the key comes first.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type pg from 'pg';
import type { NewComment } from '../../core/incident-comment.ts';
import { findActiveApiKey } from '../../db/api-keys.ts';
import { openPool } from '../../db/client.ts';
import { readCurrentStatuses } from '../../db/current-status.ts';
import { insertComment } from '../../db/incident-comments.ts';
import { findMonitor, toMonitor } from '../../db/monitors.ts';
import { streamPoints } from '../../db/point-stream.ts';

const [url = '', port = ''] = process.argv.slice(2);
const db = openPool({ url, name: 'bare', max: 10, statementTimeoutMs: 15_000, answerTimeoutMs: 20_000 });
const history = openPool({ url, name: 'bare-history', max: 6, statementTimeoutMs: 300_000 });

const server = createServer((request, response) => void answer(request, response));
server.listen(Number(port), '127.0.0.1');
await once(server, 'listening');

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const address = new URL(request.url ?? '', 'http://localhost');
  const path = address.pathname.replace(/^\/keyed/, '');
  if (path !== address.pathname && !(await findActiveApiKey(db, request.headers.authorization?.slice(7) ?? '')))
    return void response.writeHead(401).end();
  const [resource, name = '', part] = path.slice('/api/v4/'.length).split('/');
  if (part === 'data') return sendDay(db, name, address.searchParams, response);
  if (resource === 'monitors') return send(response, 200, { monitor: await monitorNamed(db, name) });
  if (resource === 'status') return send(response, 200, { monitors: await readCurrentStatuses(db, undefined) });
  // The bench sends nothing else.
  const body = (await json(request)) as NewComment;
  send(response, 201, { comment: await insertComment(db, Number(name), body) });
}

async function monitorNamed(pool: pg.Pool, tag: string): Promise<unknown> {
  const row = await findMonitor(pool, tag);
  return row && toMonitor(row);
}

async function sendDay(pool: pg.Pool, tag: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
  const monitor = await findMonitor(pool, tag);
  const range = { from: Number(query.get('start_ts')), to: Number(query.get('end_ts')) };
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write('{"data":[');
  const points = streamPoints(history, { monitorId: monitor?.id ?? NaN, tag, range, regionId: null });
  for await (const piece of points) response.write(piece);
  response.end(']}');
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}

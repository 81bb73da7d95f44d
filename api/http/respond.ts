import { hash } from 'node:crypto';
import type { Response } from 'express';
import type { AppError } from '../../core/app-error.ts';
import { JsonStream, type Route } from './route.ts';

/** A client that takes nothing for this long is ended: it holds a database connection. */
const STALLED_CLIENT_MS = 30_000;
const JSON_TYPE = 'application/json';
const PIECE_BYTES = 64 * 1024;
/** What Retry-After says where nobody knows better, seconds. */
const RETRY_AFTER_S = 5;

/** Answers with a body: at once, or as it comes into being. */
export async function respond(
  response: Response,
  { status, text }: Pick<Route, 'status' | 'text'>,
  body: unknown,
  stalledClientMs = STALLED_CLIENT_MS,
): Promise<void> {
  if (body instanceof JsonStream) return stream(response, status, body, stalledClientMs);
  send(response, status, bodyOf(text, body));
}

/** Answers 200 with a body that caches may keep; 304 without it where the client has it already (RFC 9110, 13.1.2). */
export function respondCacheable(
  response: Response,
  { text }: Pick<Route, 'text'>,
  value: unknown,
  cacheControl: string,
): void {
  const body = bodyOf(text, value);
  const tag = `"${hash('sha256', body.text, 'base64url')}"`;
  response.setHeader('Cache-Control', cacheControl).setHeader('ETag', tag);
  if (isKnown(tag, response.req.headers['if-none-match'])) response.writeHead(304).end();
  else send(response, 200, body);
}

/** Answers with what is kept of an answer, and says whether it is a repetition. */
export function respondKept(response: Response, kept: { status: number; body: string; replayed: boolean }): void {
  if (kept.replayed) response.setHeader('Idempotent-Replayed', 'true');
  send(response, kept.status, { text: kept.body, mediaType: JSON_TYPE });
}

/** Compared as weak ones. Express also looks for `no-cache`, which tells caches to ask, not us to send. */
function isKnown(tag: string, known = ''): boolean {
  return known.split(',').some((entry) => ['*', tag].includes(entry.trim().replace(/^W\//, '')));
}

/** Answers with the error envelope; after the headers are out only cutting the connection still tells the truth. */
export function respondError(response: Response, error: AppError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // RFC 9110, 11.6.1.
  if (error.code === 'UNAUTHORIZED') response.setHeader('WWW-Authenticate', 'Bearer');
  const { code, message, details, retryAfterS = RETRY_AFTER_S } = error;
  if (code === 'UNAVAILABLE' || code === 'RATE_LIMITED') response.setHeader('Retry-After', String(retryAfterS));
  const envelope = { error: { code, message, ...(details.length > 0 && { details }) } };
  send(response, error.httpStatus, bodyOf(undefined, envelope));
}

interface Body {
  text: string;
  mediaType: string;
  contentSecurityPolicy?: string;
}

function bodyOf(kind: Route['text'], value: unknown): Body {
  return kind ? { text: String(value), ...kind } : { text: JSON.stringify(value), mediaType: JSON_TYPE };
}

function send(response: Response, status: number, { text, mediaType, contentSecurityPolicy }: Body): void {
  if (contentSecurityPolicy) response.setHeader('Content-Security-Policy', contentSecurityPolicy);
  // Node leaves the body out of the answer to a HEAD by itself.
  response
    .writeHead(status, { 'Content-Type': `${mediaType}; charset=utf-8`, 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}

async function stream(response: Response, status: number, { chunks }: JsonStream, stalledMs: number): Promise<void> {
  const begin = (): unknown => response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
  if (response.req.method === 'HEAD') {
    begin();
    response.end();
    return;
  }
  // Headers go out with the first chunk: a query that fails before it is still answered with its own status.
  for await (const chunk of chunks) {
    if (!response.headersSent) begin();
    for (const piece of piecesOf(chunk)) {
      if (!response.write(piece)) await drained(response, stalledMs);
      if (response.destroyed) return;
    }
  }
  response.end();
}

/** Small enough that a client which takes anything at all empties one before it counts as stalled. */
function* piecesOf(chunk: Uint8Array | string): Generator<Uint8Array> {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function drained(response: Response, stalledMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      response.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(() => response.destroy(), stalledMs);
    response.once('drain', done).once('close', done);
  });
}

import type { Request, Response } from 'express';

/** Lets scripts of other origins in (Fetch Standard, "CORS protocol"). They bring a key: cookies are never let in. */

const ALLOWED_METHODS = 'GET, HEAD, POST, PATCH, DELETE';
const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id';
const EXPOSED_HEADERS = 'ETag, Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
/** A browser asks again after so many seconds; some keep it no longer whatever they are told. */
const MAX_AGE_S = 7200;

/** Marks the answer as readable from the origin that asks, if that is one of `origins`. Without any: does nothing. */
export function markReadable(origins: readonly string[], request: Request, response: Response): void {
  if (origins.length === 0) return;
  response.vary('Origin');
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}

/** A browser asks whether a request may be sent: without a key, since it sends none. */
export function isPreflight(origins: readonly string[], { method, headers }: Request): boolean {
  return (
    origins.length > 0 && method === 'OPTIONS' && 'access-control-request-method' in headers && 'origin' in headers
  );
}

/** An origin that may not is answered without the headers that let it. */
export function answerPreflight(response: Response): void {
  if (response.hasHeader('Access-Control-Allow-Origin')) {
    response.setHeader('Access-Control-Allow-Methods', ALLOWED_METHODS);
    response.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
    response.setHeader('Access-Control-Max-Age', String(MAX_AGE_S));
  }
  response.writeHead(204).end();
}

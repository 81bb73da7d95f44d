import { createHash } from 'node:crypto';
import { AppError } from '../../core/app-error.ts';
import { inTransaction } from '../../db/client.ts';
import { claimRequest, keepAnswer, type KeptAnswer, type NamedRequest } from '../../db/kept-answers.ts';
import type { Context } from '../context.ts';
import type { Incoming, Route } from './route.ts';

/** Visible ASCII: what a header can carry and a person can compare. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Whether a route keeps answers. The dashboard's do not: some of them are secrets that are shown once. */
export function keepsAnswers({ method, access }: Pick<Route, 'method' | 'access'>): boolean {
  return method === 'POST' && access === 'key';
}

/** What the client calls its request, where the route keeps answers and the client gave it a name. */
export function idempotencyKeyOf(route: Route, { headers }: Context): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || !keepsAnswers(route)) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new AppError('BAD_REQUEST', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
}

/**
 * Answers a request once: its answer is kept in the transaction of what it does, and a repetition within 24 hours gets the
 * same status and body, also one that comes while the first is still under way. What fails is not kept.
 * @throws AppError BAD_REQUEST where the key was used for another request.
 */
export async function answerOnce(
  route: Route,
  { incoming, idempotencyKey }: { incoming: Incoming; idempotencyKey: string },
  context: Context,
): Promise<KeptAnswer & { replayed: boolean }> {
  const { actor } = context;
  if (!actor) throw new Error('a kept answer without an owner');
  const body = incoming.readJson();
  const requestHash = hashOf(route, incoming.path, await body.catch(String));
  const request: NamedRequest = { apiKeyId: actor.id, idempotencyKey, requestHash };
  return inTransaction(context.pool, async (client) => {
    const claim = await claimRequest(client, request);
    if (claim === 'mismatch') throw mismatch();
    if (claim !== 'claimed') return { ...claim, replayed: true };
    const value = await route.answer({ ...incoming, readJson: () => body }, { ...context, db: client });
    const answer = { status: route.status, body: JSON.stringify(value) };
    await keepAnswer(client, request, answer);
    return { ...answer, replayed: false };
  });
}

/** A body that cannot be read stands for its fault: the request fails by it, where its turn comes. */
function hashOf(route: Route, path: Incoming['path'], body: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([route.method, route.path, path, body]))
    .digest();
}

function mismatch(): AppError {
  return new AppError('BAD_REQUEST', 'Idempotency-Key was used for another request');
}

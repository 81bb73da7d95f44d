import { z } from 'zod';
import { AppError } from '../core/app-error.ts';
import { route } from './http/route.ts';

/** A probe of a load balancer does not wait longer. */
const DATABASE_DEADLINE_MS = 2000;
/** SQLSTATE undefined_table. */
const UNDEFINED_TABLE = '42P01';

export const healthRoute = route({
  method: 'GET',
  path: '/healthz',
  summary: 'Whether this program and what it needs are there',
  access: 'public',
  rateLimited: false,
  response: z.object({ status: z.literal('ok'), database: z.literal('ok') }),
  handler: async (_input, { db }) => {
    await answersInTime(db.query("select 'api_keys'::regclass"));
    return { status: 'ok' as const, database: 'ok' as const };
  },
});

async function answersInTime(query: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), DATABASE_DEADLINE_MS);
  });
  try {
    await Promise.race([query, deadline]);
  } catch (cause) {
    const state = brokenBy(cause) === UNDEFINED_TABLE ? 'not migrated' : 'away';
    const details = [{ path: 'database', message: state }];
    throw new AppError('UNAVAILABLE', `The database is ${state}`, { cause, details });
  } finally {
    clearTimeout(timer);
    query.catch(() => undefined);
  }
}

function brokenBy(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

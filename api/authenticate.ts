import { AppError } from '../core/app-error.ts';
import { findActiveApiKey } from '../db/api-keys.ts';
import type { Context } from './context.ts';

/** Lets a request pass that carries an active key (specification 5 and 7, reference §1.0). */
export async function authenticate(authorization: string | undefined, { db }: Context): Promise<void> {
  const [scheme, key, ...rest] = (authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !key || rest.length > 0)
    throw new AppError('UNAUTHORIZED', 'Missing or invalid authorization header');
  if (!(await findActiveApiKey(db, key))) throw new AppError('UNAUTHORIZED', 'Invalid API key');
}

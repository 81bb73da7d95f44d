import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';

/** The token of a one-time link. */
export const linkToken = z.string('token is required').max(100, 'token must be at most 100 characters');

/** One answer for a link that is unknown, used or expired. */
export function unusableLink(): AppError {
  return new AppError('BAD_REQUEST', 'The link is not valid any more');
}

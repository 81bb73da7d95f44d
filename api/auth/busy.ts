import { AppError } from '../../core/app-error.ts';

/** What hashing a password came to. @throws AppError UNAVAILABLE where it was refused: too many wait already. */
export function unlessBusy<T>(outcome: T | null): T {
  if (outcome === null)
    throw new AppError('UNAVAILABLE', 'Too many people are signing in, try again in a moment', { retryAfterS: 2 });
  return outcome;
}

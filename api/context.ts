import type pg from 'pg';
import type { Logger } from '../runtime/logger.ts';

/** What the program opened and every request uses. */
export interface Services {
  db: pg.Pool;
  /** Long ranges of points have connections of their own: a year that is read or written holds up nobody else. */
  history: pg.Pool;
}

/** One request's surroundings. */
export interface Context extends Services {
  log: Logger;
  requestId: string;
}

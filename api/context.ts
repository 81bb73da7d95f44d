import type pg from 'pg';
import type { Expansion, ExpansionRequest } from '../core/recurrence.ts';
import type { BoundedCalls } from '../runtime/bounded-calls.ts';
import type { Logger } from '../runtime/logger.ts';
import type { CheckAnswers } from './check-answers.ts';

/** What the program opened and every request uses. */
export interface Services {
  db: pg.Pool;
  /** Long ranges of points have connections of their own: a year that is read or written holds up nobody else. */
  history: pg.Pool;
  /** Expands recurrence rules beside the program, and not for longer than a second. */
  recurrence: BoundedCalls<ExpansionRequest, Expansion | null>;
  /** Hears of the answers of runs on demand. */
  checkAnswers: CheckAnswers;
}

/** One request's surroundings. */
export interface Context extends Services {
  log: Logger;
  requestId: string;
}

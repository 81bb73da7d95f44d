import type { IncomingHttpHeaders } from 'node:http';
import type pg from 'pg';
import type { MeetingPoint } from '../core/invitation.ts';
import type { Permission } from '../core/permissions.ts';
import type { Expansion, ExpansionRequest } from '../core/recurrence.ts';
import type { Database } from '../db/client.ts';
import type { BoundedCalls } from '../runtime/bounded-calls.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Passwords } from '../runtime/passwords.ts';
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
  passwords: Passwords;
  /** Where people reach the service; null where nobody has said. */
  publicUrl: string | null;
  /** The address of what pages are styled by. */
  stylesheet: string;
  /** Where invited agents reach collectors; null where nobody has said. */
  meetingPoint: MeetingPoint | null;
}

/** Who a request is from, as far as it proved it, and what he may do now. */
export type Actor = KeyActor | UserActor;

interface AnyActor {
  id: number;
  name: string;
  permissions: ReadonlySet<Permission>;
}

export interface KeyActor extends AnyActor {
  kind: 'key';
}

export interface UserActor extends AnyActor {
  kind: 'user';
  isOwner: boolean;
  sessionId: number;
}

/** One request's surroundings. */
export interface Context extends Omit<Services, 'db'> {
  /** The request's unit of work: the pool, or the transaction in which its answer is kept (api/http/idempotency.ts). */
  db: Database;
  /** For what must be committed on its own, or needs a transaction of another kind. */
  pool: pg.Pool;
  /** Names the request on each line; made when first asked for, since most have nothing to tell but the line at their end. */
  log: () => Logger;
  requestId: string;
  /** Null before authentication, and on public routes. */
  actor: Actor | null;
  method: string;
  headers: IncomingHttpHeaders;
  /** Whence the request came. */
  address: string;
  /** Adds a Set-Cookie to the answer. */
  setCookie(cookie: string): void;
}

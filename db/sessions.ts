import { isoText } from './iso-text.ts';
import type { Queryable } from './client.ts';
import { hashToken, newToken } from './secret-token.ts';

/** Sessions of the dashboard: rows, so that they can be listed and revoked. Only hashes of their tokens are stored. */

/** However much it is used, a session ends after this. */
export const SESSION_DAYS = 30;
/** One that was not used for this long has ended. */
const IDLE_DAYS = 7;
/** Those of one user; beyond, the one used longest ago ends. Whoever signs in by a script fills no table. */
const MAX_SESSIONS = 100;
/** A session's last use is written down at most this often: most requests write nothing. */
const TOUCH_SECONDS = 60;

const LIVE = `expires_at > service_now() and last_used_at > service_now() - interval '${IDLE_DAYS} days'`;

export interface Whence {
  address: string;
  userAgent: string;
}

/** A live session with its user, his roles, and what is stored of their permissions. */
export interface SessionOfUser {
  id: number;
  user_id: number;
  name: string;
  is_owner: boolean;
  role_ids: string[];
  granted: string[];
}

export interface SessionRow {
  id: number;
  address: string;
  user_agent: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
}

/**
 * Opens a session for a user whose password was found right by the hash that is given: undefined where he has another
 * password by now, or may not sign in any more. Returns the token, the only time it is seen.
 */
export async function createSession(
  db: Queryable,
  user: { id: number; passwordHash: string },
  { address, userAgent }: Whence,
): Promise<string | undefined> {
  await db.query(
    `delete from sessions where user_id = $1 and (not (${LIVE}) or id in (
       select id from sessions where user_id = $1 order by last_used_at desc, id desc offset ${MAX_SESSIONS - 1}))`,
    [user.id],
  );
  const token = newToken();
  const { rowCount } = await db.query(
    `insert into sessions (user_id, token_hash, address, user_agent, expires_at)
     select id, $3, $4, $5, service_now() + interval '${SESSION_DAYS} days'
     from users where id = $1 and is_active and password_hash = $2 for share`,
    [user.id, user.passwordHash, hashToken(token), address, userAgent],
  );
  return rowCount === 1 ? token : undefined;
}

/** The live session of this token and its user, if he is still active. Notes that it was used. */
export async function findSession(db: Queryable, token: string): Promise<SessionOfUser | undefined> {
  const hash = hashToken(token);
  const { rows } = await db.query<SessionOfUser & { is_stale: boolean }>(
    `select s.id, u.id as user_id, u.name, u.is_owner,
       last_used_at < service_now() - interval '${TOUCH_SECONDS} seconds' as is_stale,
       array(select role_id from user_roles r where r.user_id = u.id) as role_ids,
       array(select permission from role_permissions p join user_roles r using (role_id) where r.user_id = u.id) as granted
     from sessions s join users u on u.id = s.user_id
     where token_hash = $1 and u.is_active and ${LIVE}`,
    [hash],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { is_stale, ...session } = row;
  if (is_stale) await db.query('update sessions set last_used_at = service_now() where id = $1', [session.id]);
  return session;
}

/** The user's live sessions, the one used last first. */
export async function listSessions(db: Queryable, userId: number): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>(
    `select id, address, user_agent, ${isoText('created_at')}, ${isoText('s.last_used_at')}, ${isoText('expires_at')}
     from sessions s where user_id = $1 and ${LIVE} order by s.last_used_at desc, id desc`,
    [userId],
  );
  return rows;
}

/** Ends the session of this token, if there is one. */
export async function endSession(db: Queryable, token: string): Promise<void> {
  await db.query('delete from sessions where token_hash = $1', [hashToken(token)]);
}

/** Ends one of the user's sessions; how many that were. */
export async function endSessionOf(db: Queryable, userId: number, id: number): Promise<number> {
  const { rowCount } = await db.query('delete from sessions where user_id = $1 and id = $2', [userId, id]);
  return rowCount ?? 0;
}

/** Ends all of the user's sessions, but the one that is kept; how many that were. */
export async function endSessionsOf(db: Queryable, userId: number, keptId: number | null = null): Promise<number> {
  const { rowCount } = await db.query('delete from sessions where user_id = $1 and id is distinct from $2', [
    userId,
    keptId,
  ]);
  return rowCount ?? 0;
}

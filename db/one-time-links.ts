import type pg from 'pg';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';
import { hashToken, newToken } from './secret-token.ts';

/** Tokens that are good once (reference §7, "Invites"): to accept an invitation, for another password, for set-up. */

const LIFETIME = { INVITE: '7 days', RESET: '1 hour', SETUP: '7 days' } as const;

export type LinkPurpose = keyof typeof LIFETIME;

export interface OneTimeLink {
  purpose: LinkPurpose;
  /** Null: for the first user, who does not exist yet. */
  user_id: number | null;
  expires_at: string;
}

/** Makes a link, in place of the user's earlier ones. Returns its token, the only time it is seen. */
export async function createLink(
  db: Queryable,
  purpose: LinkPurpose,
  userId: number | null,
): Promise<{ token: string; expires_at: string }> {
  await dropLinks(db, userId);
  const token = newToken();
  const { rows } = await db.query<{ expires_at: string }>(
    `insert into one_time_links (token_hash, purpose, user_id, expires_at)
     values ($1, $2, $3, service_now() + $4::interval) returning ${isoText('expires_at')}`,
    [hashToken(token), purpose, userId, LIFETIME[purpose]],
  );
  const [row] = rows;
  if (!row) throw new Error('a link was not stored');
  return { token, ...row };
}

/** The link of this token; undefined where it is unknown, used or expired. */
export async function findLink(db: Queryable, token: string): Promise<OneTimeLink | undefined> {
  const { rows } = await db.query<OneTimeLink>(
    `select purpose, user_id, ${isoText('l.expires_at')} from one_time_links l
     where token_hash = $1 and l.expires_at > service_now()`,
    [hashToken(token)],
  );
  return rows[0];
}

/** Uses the link up: true for one caller only, who must be in the transaction of what the link is for. */
export async function takeLink(client: pg.PoolClient, token: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'delete from one_time_links where token_hash = $1 and expires_at > service_now()',
    [hashToken(token)],
  );
  return rowCount === 1;
}

/** Makes a user's links worthless; null: those for set-up. */
export async function dropLinks(db: Queryable, userId: number | null): Promise<void> {
  await db.query('delete from one_time_links where user_id is not distinct from $1', [userId]);
}

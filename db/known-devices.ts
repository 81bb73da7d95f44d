import type { Queryable } from './client.ts';
import { hashToken, newToken } from './secret-token.ts';

/**
 * Browsers that have signed a user in before carry a token of their own (OWASP, "device cookies"): whoever guesses at an
 * account from elsewhere uses up his own attempts and not theirs.
 */

/** How long a browser stays known after its last sign-in. */
export const DEVICE_DAYS = 400;
/** Those of one user; beyond, the oldest is forgotten. */
const MAX_DEVICES = 50;

/** Makes the browser that signed the user in a known one. Returns its token. */
export async function rememberDevice(db: Queryable, userId: number): Promise<string> {
  const token = newToken();
  await db.query(
    `delete from known_devices where user_id = $1 and (expires_at <= service_now() or token_hash in (
       select token_hash from known_devices where user_id = $1 order by created_at desc offset ${MAX_DEVICES - 1}))`,
    [userId],
  );
  await db.query(
    `insert into known_devices (token_hash, user_id, expires_at)
     values ($1, $2, service_now() + interval '${DEVICE_DAYS} days')`,
    [hashToken(token), userId],
  );
  return token;
}

/** Makes the user's browsers strangers again: whoever had his password may have been one of them. */
export async function forgetDevices(db: Queryable, userId: number): Promise<void> {
  await db.query('delete from known_devices where user_id = $1', [userId]);
}

/** True where a browser with this token has signed in the user with this address before. */
export async function isKnownDevice(db: Queryable, token: string, email: string): Promise<boolean> {
  const { rows } = await db.query(
    `select from known_devices d join users u on u.id = d.user_id
     where token_hash = $1 and email = $2 and expires_at > service_now()`,
    [hashToken(token), email],
  );
  return rows.length === 1;
}

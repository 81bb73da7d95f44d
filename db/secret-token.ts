import { createHash, randomBytes } from 'node:crypto';

/** A token of 32 random bytes, as it goes to its owner; only its hash is stored. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a token. Tokens are random and long, so one round of SHA-256 gives nothing away. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

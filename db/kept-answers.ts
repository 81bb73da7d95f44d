import type { Queryable } from './client.ts';

/** What a request under an Idempotency-Key was answered with; `body` is the text that was sent. */
export interface KeptAnswer {
  status: number;
  body: string;
}

/** A request that names itself: one of a key's owner, and what it asks for. */
export interface NamedRequest {
  apiKeyId: number;
  idempotencyKey: string;
  /** SHA-256 of everything that must be equal in a repetition. */
  requestHash: Buffer;
}

/** An answer is kept for this long. */
const KEPT_HOURS = 24;

/**
 * Takes the name of a request for the transaction that answers it, or tells what it was answered with: `mismatch` where
 * it was another request. Waits for a transaction that has taken the name and has not ended; if that one fails, the name is
 * free again.
 */
export async function claimRequest(
  client: Queryable,
  { apiKeyId, idempotencyKey, requestHash }: NamedRequest,
): Promise<'claimed' | 'mismatch' | KeptAnswer> {
  const claimed = await client.query(
    `insert into kept_answers as kept (api_key_id, idempotency_key, request_hash) values ($1, $2, $3)
     on conflict (api_key_id, idempotency_key) do update
       set request_hash = excluded.request_hash, created_at = excluded.created_at
       where kept.created_at < now() - $4 * interval '1 hour'`,
    [apiKeyId, idempotencyKey, requestHash, KEPT_HOURS],
  );
  if (claimed.rowCount === 1) return 'claimed';
  const { rows } = await client.query<KeptAnswer & { same: boolean }>(
    `select status, body, request_hash = $3 as same from kept_answers where api_key_id = $1 and idempotency_key = $2`,
    [apiKeyId, idempotencyKey, requestHash],
  );
  const [kept] = rows;
  if (!kept) throw new Error('a kept answer went before its time');
  return kept.same ? { status: kept.status, body: kept.body } : 'mismatch';
}

/** Keeps the answer of a request whose name this transaction has taken. */
export async function keepAnswer(
  client: Queryable,
  { apiKeyId, idempotencyKey }: NamedRequest,
  { status, body }: KeptAnswer,
): Promise<void> {
  await client.query('update kept_answers set status = $3, body = $4 where api_key_id = $1 and idempotency_key = $2', [
    apiKeyId,
    idempotencyKey,
    status,
    body,
  ]);
}

/** Removes answers whose time is over; an hour later than they end, so that none goes while it is being read. */
export async function forgetAnswers(db: Queryable): Promise<number> {
  const { rowCount } = await db.query("delete from kept_answers where created_at < now() - $1 * interval '1 hour'", [
    KEPT_HOURS + 1,
  ]);
  return rowCount ?? 0;
}

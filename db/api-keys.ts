import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyStatus } from '../core/api-key.ts';
import { askedTogether } from './asked-together.ts';
import { brokenConstraint, type Queryable } from './client.ts';

/** API keys (specification 5, reference §12 "Keys"): only a hash is stored, the key itself is shown once. */

const PREFIX = 'farwatch_';
const KEY = /^farwatch_[0-9a-f]{64}$/;

export interface ApiKeyRow {
  id: number;
  name: string;
  masked_key: string;
  status: KeyStatus;
  /** What the key may do. */
  role_id: string;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, name, masked_key, status, role_id, created_at, updated_at';

/** A key by what is unique about it. */
export type KeyReference = { id: number } | { name: string };

/** Makes a key of 32 random bytes and stores its hash. Returns the key, the only time it is seen; null: name taken. */
export async function createApiKey(
  db: Queryable,
  name: string,
  roleId = 'admin',
): Promise<{ key: string; row: ApiKeyRow } | null> {
  const key = PREFIX + randomBytes(32).toString('hex');
  const masked = key.slice(-4).padStart(key.length, '*');
  try {
    const { rows } = await db.query<ApiKeyRow>(
      `insert into api_keys (name, key_hash, masked_key, role_id) values ($1, $2, $3, $4) returning ${COLUMNS}`,
      [name, hashKey(key), masked, roleId],
    );
    return rows[0] ? { key, row: rows[0] } : null;
  } catch (error) {
    if (brokenConstraint(error) === 'api_keys_name_key') return null;
    throw error;
  }
}

/** An active key with its role, and the permissions that are stored for the role. */
export interface ActiveApiKey {
  id: number;
  name: string;
  role_id: string;
  granted: string[];
}

/** The active key that equals `key`, or undefined: unknown, malformed and INACTIVE ones look alike from outside. */
export async function findActiveApiKey(db: Queryable, key: string): Promise<ActiveApiKey | undefined> {
  if (!KEY.test(key)) return undefined;
  const keyHash = hashKey(key);
  const row = await findKeyOfHash(db, keyHash.toString('hex'));
  if (!row || !timingSafeEqual(row.key_hash, keyHash) || row.status !== 'ACTIVE') return undefined;
  return { id: row.id, name: row.name, role_id: row.role_id, granted: row.granted };
}

const findKeyOfHash = askedTogether(async (db, hashes) => {
  // Asked with every request: prepared once on each connection, it costs half.
  const { rows } = await db.query<ActiveApiKey & { key_hash: Buffer; status: KeyStatus }>({
    name: 'api keys of hashes',
    text: `select id, name, key_hash, status, role_id,
       array(select permission from role_permissions p where p.role_id = api_keys.role_id) as granted
     from api_keys where key_hash = any($1)`,
    values: [hashes.map((hex) => Buffer.from(hex, 'hex'))],
  });
  return new Map(rows.map((row) => [row.key_hash.toString('hex'), row]));
});

/** All keys, oldest first, without their hashes. */
export async function listApiKeys(db: Queryable): Promise<ApiKeyRow[]> {
  const { rows } = await db.query<ApiKeyRow>(`select ${COLUMNS} from api_keys order by id`);
  return rows;
}

/** The key of this id, or undefined. */
export async function findApiKey(db: Queryable, id: number): Promise<ApiKeyRow | undefined> {
  const { rows } = await db.query<ApiKeyRow>(`select ${COLUMNS} from api_keys where id = $1`, [id]);
  return rows[0];
}

/** Sets a key's status; false where there is no such key. It holds from the next request on. */
export async function setApiKeyStatus(db: Queryable, key: KeyReference, status: KeyStatus): Promise<boolean> {
  const { rowCount } = await db.query(
    'update api_keys set status = $3, updated_at = clock_timestamp() where id = $1 or name = $2',
    [...columnsOf(key), status],
  );
  return rowCount === 1;
}

/** Deletes a key; false where there is none. */
export async function deleteApiKey(db: Queryable, key: KeyReference): Promise<boolean> {
  const { rowCount } = await db.query('delete from api_keys where id = $1 or name = $2', columnsOf(key));
  return rowCount === 1;
}

function columnsOf(key: KeyReference): [id: number | null, name: string | null] {
  return 'id' in key ? [key.id, null] : [null, key.name];
}

function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

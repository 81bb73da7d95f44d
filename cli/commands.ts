import type pg from 'pg';
import type { KeyStatus } from '../core/api-key.ts';
import { createApiKey, deleteApiKey, listApiKeys, setApiKeyStatus } from '../db/api-keys.ts';
import { migrate } from '../db/migrate.ts';
import { findRole } from '../db/roles.ts';
import { beginEpoch } from '../db/state.ts';
import { AGENT_COMMANDS } from './agent-commands.ts';
import { failed, table, type Answer, type Command, type LoneCommand, type Options } from './command.ts';
import { USER_COMMANDS } from './user-commands.ts';

/** Everything `farwatch` can do, by its words. */
export const COMMANDS: Readonly<Record<string, Command | LoneCommand>> = {
  'keys create': {
    summary: 'make an API key, of an admin without --role; it is shown this once',
    needs: ['name'],
    takes: ['role'],
    run: createKey,
  },
  'keys list': { summary: 'list API keys', needs: [], run: listKeys },
  'keys disable': { summary: 'reject an API key from now on', needs: ['name'], run: setStatus('INACTIVE') },
  'keys enable': { summary: 'accept it again', needs: ['name'], run: setStatus('ACTIVE') },
  'keys delete': { summary: 'delete an API key for good', needs: ['name'], run: deleteKey },
  ...AGENT_COMMANDS,
  ...USER_COMMANDS,
  'identity init': {
    summary: 'make the keys that collectors share, where there are none',
    needs: ['identity'],
    // A library of certificates, which no other command waits for.
    runAlone: async (options) => (await import('./identity.ts')).initIdentity(options),
  },
  'database restored': {
    summary: 'say, before collectors start, that the database was restored from a backup',
    needs: [],
    run: restored,
  },
  migrate: { summary: 'bring the database schema up to date', needs: [], run: migrateSchema },
};

async function createKey(pool: pg.Pool, { name, role }: Options): Promise<Answer> {
  const roleId = role || 'admin';
  if (!(await findRole(pool, roleId))) return failed(`no role is named '${roleId}'`);
  const created = await createApiKey(pool, name, roleId);
  if (!created) return failed(`an API key named '${name}' exists already`);
  return { text: created.key, json: { id: created.row.id, name, key: created.key } };
}

async function listKeys(pool: pg.Pool): Promise<Answer> {
  const keys = await listApiKeys(pool);
  return {
    text: table(keys.map((key) => [key.id, key.name, key.status, key.role_id, key.masked_key.slice(-32)])),
    json: keys,
  };
}

function setStatus(status: KeyStatus) {
  return async (pool: pg.Pool, { name }: { name: string }): Promise<Answer> => {
    if (!(await setApiKeyStatus(pool, { name }, status))) return failed(`no API key is named '${name}'`);
    return { text: `${name} ${status}`, json: { name, status } };
  };
}

async function deleteKey(pool: pg.Pool, { name }: { name: string }): Promise<Answer> {
  if (!(await deleteApiKey(pool, { name }))) return failed(`no API key is named '${name}'`);
  return { text: `${name} deleted`, json: { name, deleted: true } };
}

async function restored(pool: pg.Pool): Promise<Answer> {
  const epoch = await beginEpoch(pool);
  return { text: "what agents measured for the database's other life will be dropped, not stored", json: { epoch } };
}

async function migrateSchema(pool: pg.Pool): Promise<Answer> {
  const applied = await migrate(pool);
  return { text: applied.length > 0 ? applied.join('\n') : 'up to date', json: { applied } };
}

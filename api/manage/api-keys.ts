import { z } from 'zod';
import { apiKeyResource, KEY_STATUSES, type KeyStatus } from '../../core/api-key.ts';
import { AppError } from '../../core/app-error.ts';
import { givenRoleId } from '../../core/role.ts';
import { rowId } from '../../core/row-id.ts';
import { checkStorableText } from '../../core/storable.ts';
import { createApiKey, deleteApiKey, findApiKey, listApiKeys, setApiKeyStatus } from '../../db/api-keys.ts';
import { inTransaction } from '../../db/client.ts';
import { rolesToGive } from '../services/privileges.ts';
import { action, type ActionContext } from './action.ts';

const NAME_REQUIRED = 'Name is required';
const rows = z.int().meta({ description: 'How many rows changed' });
const keyName = z
  .string(NAME_REQUIRED)
  .trim()
  .min(1, NAME_REQUIRED)
  .max(255, 'Name must be at most 255 characters')
  .superRefine(checkStorableText);

export const apiKeyActions = [
  action({
    name: 'getAPIKeys',
    permission: 'api_keys.read',
    summary: 'List API keys, masked, the oldest first',
    data: z.object({}),
    result: z.array(apiKeyResource),
    run: async (_data, { db }) =>
      (await listApiKeys(db)).map((key) => ({
        ...key,
        created_at: key.created_at.toISOString(),
        updated_at: key.updated_at.toISOString(),
      })),
  }),
  action({
    name: 'createNewApiKey',
    permission: 'api_keys.write',
    summary: 'Make an API key, which is shown this once; it acts with a role that can do no more than its maker',
    data: z.object({ name: keyName, role_id: givenRoleId.default('admin') }),
    result: z.object({ apiKey: z.string().meta({ examples: ['farwatch_<64 hex>'] }), name: z.string() }),
    about: ({ name, role_id }) => ({ keyName: name, roleId: role_id }),
    run: createKey,
  }),
  action({
    name: 'updateApiKeyStatus',
    permission: 'api_keys.write',
    summary: 'Reject a key from its next request on, or accept it again',
    data: z.object({
      id: rowId('id'),
      status: z.enum(KEY_STATUSES, `status must be one of: ${KEY_STATUSES.join(', ')}`),
    }),
    result: rows,
    about: ({ id, status }) => ({ keyId: id, status }),
    run: ({ id, status }, context) => switchKey(context, id, status),
  }),
  action({
    name: 'deleteApiKey',
    permission: 'api_keys.delete',
    summary: 'Delete a key for good',
    data: z.object({ id: rowId('id') }),
    result: rows,
    about: ({ id }) => ({ keyId: id }),
    run: async ({ id }, { db }) => Number(await deleteApiKey(db, { id })),
  }),
];

async function createKey({ name, role_id: roleId }: { name: string; role_id: string }, { db, actor }: ActionContext) {
  return inTransaction(db, async (client) => {
    await rolesToGive(client, actor, [roleId]);
    const created = await createApiKey(client, name, roleId);
    if (!created) throw new AppError('BAD_REQUEST', `An API key with the name '${name}' exists already`);
    return { apiKey: created.key, name };
  });
}

/** Who wakes a key gives what it may do. */
async function switchKey({ db, actor }: ActionContext, id: number, status: KeyStatus): Promise<number> {
  return inTransaction(db, async (client) => {
    const key = await findApiKey(client, id);
    if (!key) return 0;
    if (status === 'ACTIVE' && key.status !== 'ACTIVE') await rolesToGive(client, actor, [key.role_id]);
    return Number(await setApiKeyStatus(client, { id }, status));
  });
}

import { z } from 'zod';

/** API keys as the dashboard shows them (specification 5): never the key itself. */

export const KEY_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

export const apiKeyResource = z
  .object({
    id: z.int(),
    name: z.string(),
    masked_key: z
      .string()
      .meta({ description: 'As long as the key, asterisks but the last 4; lists show its last 32' }),
    status: z.enum(KEY_STATUSES),
    role_id: z.string(),
    created_at: z.iso.datetime({ precision: 3 }),
    updated_at: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof apiKeyResource>;

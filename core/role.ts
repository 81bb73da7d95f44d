import { z } from 'zod';
import { PERMISSIONS } from './permissions.ts';
import { checkStorableText } from './storable.ts';

/** Roles (reference §7): three that are built in, and those that people make. */

const ID_RULE = 'id must be 1 to 64 lowercase letters, digits, hyphens and underscores';

export const newRoleId = z.string(ID_RULE).regex(/^[a-z0-9_-]{1,64}$/, ID_RULE);
/** The name of a role that may or may not exist. */
export const givenRoleId = z.string('role_id must be a string').superRefine(checkStorableText);

export const roleName = z
  .string('Name is required')
  .trim()
  .min(1, 'Name is required')
  .max(255, 'Name must be at most 255 characters')
  .superRefine(checkStorableText);

export const roleDescription = z
  .string('description must be a string or null')
  .max(2000, 'description must be at most 2000 characters')
  .superRefine(checkStorableText)
  .nullable();

export const permissionName = z.enum(PERMISSIONS, 'must be the name of a permission');
export const permissionNames = z
  .array(permissionName, 'permissions must be an array')
  .transform((names) => [...new Set(names)]);

export const roleResource = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    is_builtin: z.boolean().meta({ description: 'true: nobody changes or deletes it' }),
    permissions: z.array(z.enum(PERMISSIONS)),
    user_count: z.int(),
    created_at: z.iso.datetime({ precision: 3 }),
    updated_at: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'Role' });
export type Role = z.output<typeof roleResource>;

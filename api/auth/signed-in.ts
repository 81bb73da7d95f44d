import { z } from 'zod';
import { PERMISSIONS } from '../../core/permissions.ts';
import { userResource } from '../../core/user.ts';

/** Who has signed in, and what he may do. */
export const signedIn = z
  .object({ user: userResource, permissions: z.array(z.enum(PERMISSIONS)) })
  .meta({ id: 'SignedIn' });
export type SignedIn = z.output<typeof signedIn>;

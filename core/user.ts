import { z } from 'zod';
import { checkStorableText } from './storable.ts';

/** People who sign in to the dashboard (reference §7). */

/** RFC 5321, 4.5.3.1.3, less the angle brackets. */
const MAX_EMAIL_LENGTH = 254;
const MAX_NAME_LENGTH = 255;
/** More is no better password, only more to hash. */
const MAX_PASSWORD_LENGTH = 256;
const PASSWORD_RULE =
  'Password must be at least 8 characters long, with a digit, a lowercase and an uppercase letter among them';

/** An address as accounts are known by it: trimmed and in lowercase. */
export const emailAddress = z
  .string('Email is required')
  .trim()
  .toLowerCase()
  .max(MAX_EMAIL_LENGTH, `Email must be at most ${MAX_EMAIL_LENGTH} characters`)
  .pipe(z.email('Email must be an e-mail address'))
  .meta({ examples: ['ada@example.com'] });

export const personName = z
  .string('Name is required')
  .trim()
  .min(1, 'Name is required')
  .max(MAX_NAME_LENGTH, `Name must be at most ${MAX_NAME_LENGTH} characters`)
  .superRefine(checkStorableText);

/** A password that somebody chooses. */
export const newPassword = z
  .string('Password is required')
  .max(MAX_PASSWORD_LENGTH, `Password must be at most ${MAX_PASSWORD_LENGTH} characters`)
  .refine((text) => text.length >= 8 && [/\d/, /\p{Ll}/u, /\p{Lu}/u].every((kind) => kind.test(text)), PASSWORD_RULE)
  .meta({ description: PASSWORD_RULE, minLength: 8 });

/** A password that somebody claims to have: it may be wrong, but not endless. */
export const givenPassword = z
  .string('Password is required')
  .max(MAX_PASSWORD_LENGTH, `Password must be at most ${MAX_PASSWORD_LENGTH} characters`);

/** Where a user sets his password by a one-time token: behind a number sign it is in no server's log and no Referer. */
export function passwordLink(publicUrl: string | null, token: string): string {
  return `${publicUrl?.replace(/\/$/, '') ?? ''}/manage/password#${token}`;
}

/** A user as answers show him: never with a password's hash. */
export const userResource = z
  .object({
    id: z.int(),
    email: z.string(),
    name: z.string(),
    is_active: z.boolean(),
    is_owner: z.boolean(),
    has_password: z.boolean().meta({ description: 'false: invited, and the invitation is not taken yet' }),
    role_ids: z.array(z.string()),
    created_at: z.iso.datetime({ precision: 3 }),
    updated_at: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'User' });
export type User = z.output<typeof userResource>;

/** A sign-in that lasts, as its user sees it. */
export const sessionResource = z.object({
  id: z.int(),
  address: z.string(),
  user_agent: z.string(),
  created_at: z.iso.datetime({ precision: 3 }),
  last_used_at: z.iso.datetime({ precision: 3 }),
  expires_at: z.iso.datetime({ precision: 3 }),
  is_current: z.boolean(),
});
export type UserSession = z.output<typeof sessionResource>;

/** A link that is good once, for the one who made it to pass on. */
export const userLink = z.object({
  purpose: z.enum(['INVITE', 'RESET']),
  link: z
    .string()
    .meta({ description: 'To pass on: it is shown this once, and begins with a slash without PUBLIC_URL' }),
  expires_at: z.iso.datetime({ precision: 3 }),
});
export type UserLink = z.output<typeof userLink>;

import { z } from 'zod';
import { PERMISSIONS } from '../../core/permissions.ts';
import { givenPassword, userResource } from '../../core/user.ts';
import { endSession } from '../../db/sessions.ts';
import { findCredentials, findUser } from '../../db/users.ts';
import type { Context } from '../context.ts';
import { route } from '../http/route.ts';
import { countSignIn } from './attempts.ts';
import { unlessBusy } from './busy.ts';
import { clearSessionCookie, sessionToken } from './cookies.ts';
import { refuseForgery } from './same-site.ts';
import { signIn, wrongCredentials } from './sign-in.ts';
import { signedIn, type SignedIn } from './signed-in.ts';

const credentials = z.object({
  // Not checked any further: what is no address is nobody's.
  email: z
    .string('Email is required')
    .trim()
    .max(254, 'Email must be at most 254 characters')
    .transform((text) => text.toLowerCase().replaceAll('\0', '')),
  password: givenPassword,
});

export const loginRoutes = [
  route({
    method: 'POST',
    path: '/manage/auth/login',
    summary: 'Sign in to the dashboard: the answer sets the cookie of a session',
    access: 'public',
    resource: async (_path, context) => refuseForgery(context),
    body: credentials,
    example: { email: 'ada@example.com', password: 'Correct horse 1' },
    response: signedIn,
    alsoFails: {
      401: 'The email or the password is wrong, or the account may not sign in',
      403: 'Another site made the browser ask',
      429: 'Too many attempts have failed, see Retry-After',
    },
    handler: ({ body }, context) => logIn(context, body),
  }),
  route({
    method: 'POST',
    path: '/manage/auth/logout',
    summary: 'End the session that the request carries, if it carries one',
    access: 'public',
    resource: async (_path, context) => refuseForgery(context),
    response: z.object({ message: z.string() }),
    alsoFails: { 403: 'Another site made the browser ask' },
    handler: async (_input, context) => {
      const token = sessionToken(context);
      if (token) await endSession(context.pool, token);
      clearSessionCookie(context);
      return { message: 'Signed out' };
    },
  }),
  route({
    method: 'GET',
    path: '/manage/auth/session',
    summary: 'Who asks, by session or key, and what he may do',
    access: 'dashboard',
    response: z.object({
      kind: z.enum(['key', 'user']),
      name: z.string(),
      user: userResource.nullable().meta({ description: 'null: the request carries an API key' }),
      permissions: z.array(z.enum(PERMISSIONS)),
    }),
    handler: async (_input, { actor, db }) => {
      if (!actor) throw new Error('a session without an actor');
      const { kind, id, name, permissions } = actor;
      const user = (kind === 'user' && (await findUser(db, id))) || null;
      return { kind, name, user, permissions: [...permissions] };
    },
  }),
];

async function logIn(context: Context, { email, password }: z.output<typeof credentials>): Promise<SignedIn> {
  const attempt = await countSignIn(context, email);
  const found = await findCredentials(context.db, email);
  const passwordHash = found?.password_hash ?? null;
  const isRight = unlessBusy(await context.passwords.verify(password, passwordHash));
  if (!found || !isRight || !found.is_active || passwordHash === null) {
    context.log().warn({ userId: found?.id ?? null, address: context.address }, 'sign-in refused');
    throw wrongCredentials();
  }
  await attempt.succeeded();
  return signIn(context, { id: found.id, passwordHash });
}

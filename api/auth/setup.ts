import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import { emailAddress, newPassword, personName } from '../../core/user.ts';
import { inTransaction } from '../../db/client.ts';
import { findLink, takeLink } from '../../db/one-time-links.ts';
import { hasNoUsers, insertOwner } from '../../db/users.ts';
import type { Context } from '../context.ts';
import { route } from '../http/route.ts';
import { unlessBusy } from './busy.ts';
import { sessionToken } from './cookies.ts';
import { findActor } from './find-actor.ts';
import { linkToken, unusableLink } from './link-token.ts';
import { refuseForgery } from './same-site.ts';
import { signIn } from './sign-in.ts';
import { signedIn, type SignedIn } from './signed-in.ts';

const firstOwner = z.object({ token: linkToken, email: emailAddress, name: personName, password: newPassword });

export const setupRoutes = [
  route({
    method: 'GET',
    path: '/manage/auth/setup',
    summary: 'Whether the service has no user yet and waits for its first, and whether whoever asks has signed in',
    access: 'public',
    response: z.object({ needed: z.boolean(), signed_in: z.boolean() }),
    handler: async (_input, context) => {
      const token = sessionToken(context);
      const actor = token === undefined ? undefined : await findActor(context.db, token);
      return { needed: await hasNoUsers(context.db), signed_in: actor !== undefined };
    },
  }),
  route({
    method: 'POST',
    path: '/manage/auth/setup',
    summary: 'Make the first user, the owner, by the set-up token, and sign in',
    access: 'public',
    resource: async (_path, context) => refuseForgery(context),
    body: firstOwner,
    example: { token: '<the set-up token>', email: 'ada@example.com', name: 'Ada', password: 'Correct horse 1' },
    response: signedIn,
    alsoFails: {
      401: 'The password was changed meanwhile',
      403: 'There is a user already, or another site made the browser ask',
    },
    handler: ({ body }, context) => setUp(context, body),
  }),
];

async function setUp(context: Context, { token, password, ...owner }: z.output<typeof firstOwner>): Promise<SignedIn> {
  const { pool, passwords } = context;
  if (!(await hasNoUsers(pool))) throw alreadySetUp();
  // Before the password is hashed: strangers shall not make it work.
  if ((await findLink(pool, token))?.purpose !== 'SETUP') throw unusableLink();
  const passwordHash = unlessBusy(await passwords.hash(password));
  const user = await inTransaction(pool, async (client) => {
    if (!(await takeLink(client, token))) throw unusableLink();
    return insertOwner(client, { ...owner, passwordHash });
  });
  if (!user) throw alreadySetUp();
  context.log().info({ userId: user.id }, 'owner set up');
  return signIn(context, { id: user.id, passwordHash });
}

function alreadySetUp(): AppError {
  return new AppError('FORBIDDEN', 'The service has been set up already');
}

import { z } from 'zod';
import { newPassword } from '../../core/user.ts';
import { inTransaction } from '../../db/client.ts';
import { forgetDevices } from '../../db/known-devices.ts';
import { dropLinks, findLink, takeLink } from '../../db/one-time-links.ts';
import { endSessionsOf } from '../../db/sessions.ts';
import { findUser, lockUser, setPassword } from '../../db/users.ts';
import type { Context } from '../context.ts';
import { route } from '../http/route.ts';
import { unlessBusy } from './busy.ts';
import { linkToken, unusableLink } from './link-token.ts';
import { refuseForgery } from './same-site.ts';
import { signIn } from './sign-in.ts';
import { signedIn, type SignedIn } from './signed-in.ts';

const FORGED = 'Another site made the browser ask';
const choice = z.object({ token: linkToken, password: newPassword });

export const linkRoutes = [
  route({
    method: 'POST',
    path: '/manage/auth/link',
    summary: 'Whom a link is for: an invitation, or another password',
    access: 'public',
    resource: async (_path, context) => refuseForgery(context),
    body: z.object({ token: linkToken }),
    response: z.object({
      purpose: z.enum(['INVITE', 'RESET']),
      email: z.string(),
      name: z.string(),
      expires_at: z.iso.datetime({ precision: 3 }),
    }),
    alsoFails: { 403: FORGED },
    handler: async ({ body }, context) => {
      const { user, purpose, expires_at } = await usableLink(context, body.token);
      return { purpose, email: user.email, name: user.name, expires_at };
    },
  }),
  route({
    method: 'POST',
    path: '/manage/auth/password',
    summary: 'Set the password by a link, which is used up; other sessions of the user end, and a new one begins',
    access: 'public',
    resource: async (_path, context) => refuseForgery(context),
    body: choice,
    response: signedIn,
    alsoFails: { 401: 'The password was changed meanwhile', 403: FORGED },
    handler: ({ body }, context) => choosePassword(context, body),
  }),
];

async function choosePassword(context: Context, { token, password }: z.output<typeof choice>): Promise<SignedIn> {
  const { pool, passwords } = context;
  // Before the password is hashed: strangers shall not make it work.
  const { user, purpose } = await usableLink(context, token);
  const passwordHash = unlessBusy(await passwords.hash(password));
  await inTransaction(pool, async (client) => {
    await lockUser(client, user.id);
    if (!(await takeLink(client, token))) throw unusableLink();
    await setPassword(client, user.id, passwordHash);
    await dropLinks(client, user.id);
    await endSessionsOf(client, user.id);
    await forgetDevices(client, user.id);
  });
  context.log().info({ userId: user.id, purpose }, 'password set by a link');
  return signIn(context, { id: user.id, passwordHash });
}

async function usableLink({ pool }: Context, token: string) {
  const link = await findLink(pool, token);
  const user = link?.user_id ? await findUser(pool, link.user_id) : undefined;
  if (!link || !user || link.purpose === 'SETUP') throw unusableLink();
  return { user, purpose: link.purpose, expires_at: link.expires_at };
}

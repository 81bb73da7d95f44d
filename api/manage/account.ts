import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import { rowId } from '../../core/row-id.ts';
import {
  emailAddress,
  givenPassword,
  newPassword,
  personName,
  sessionResource,
  userResource,
  type User,
} from '../../core/user.ts';
import { inTransaction } from '../../db/client.ts';
import { forgetDevices } from '../../db/known-devices.ts';
import { dropLinks } from '../../db/one-time-links.ts';
import { endSessionOf, endSessionsOf, listSessions } from '../../db/sessions.ts';
import { findPasswordHash, lockUser, setPassword } from '../../db/users.ts';
import { countConfirmation } from '../auth/attempts.ts';
import { unlessBusy } from '../auth/busy.ts';
import type { UserActor } from '../context.ts';
import { userNotFound } from '../services/privileges.ts';
import { changeUser } from '../services/write-user.ts';
import { action, type ActionContext } from './action.ts';

const ownFields = z.object({
  name: personName.optional(),
  email: emailAddress.optional(),
  current_password: givenPassword.optional().meta({ description: 'Needed for another email' }),
});
const passwords = z.object({ current_password: givenPassword, new_password: newPassword });
const message = z.object({ message: z.string() });

/** What everybody may do with his own account. */
export const accountActions = [
  action({
    name: 'updateUser',
    permission: null,
    summary: "Change one's own name or email: what is not named is kept",
    data: ownFields,
    result: userResource,
    run: changeSelf,
  }),
  action({
    name: 'updatePassword',
    permission: null,
    summary: "Change one's own password; one's other sessions end",
    data: passwords,
    result: message,
    run: changePassword,
  }),
  action({
    name: 'sendVerificationEmail',
    permission: null,
    summary: 'Refused: the service sends no e-mail',
    data: z.object({}),
    result: message,
    run: () =>
      Promise.reject(new AppError('BAD_REQUEST', 'This service sends no e-mail, so there is none to verify by')),
  }),
  action({
    name: 'getSessions',
    permission: null,
    summary: "List one's own sessions, the one used last first",
    data: z.object({}),
    result: z.array(sessionResource),
    run: async (_data, context) => {
      const { id, sessionId } = signedInUser(context);
      const sessions = await listSessions(context.db, id);
      return sessions.map((session) => ({ ...session, is_current: session.id === sessionId }));
    },
  }),
  action({
    name: 'deleteSession',
    permission: null,
    summary: "End one of one's own sessions",
    data: z.object({ id: rowId('id') }),
    result: z.int().meta({ description: 'How many rows changed' }),
    run: ({ id }, context) => endSessionOf(context.db, signedInUser(context).id, id),
  }),
];

async function changeSelf(
  { current_password: given, ...fields }: z.output<typeof ownFields>,
  context: ActionContext,
): Promise<User> {
  const { id } = signedInUser(context);
  // Who finds a browser open shall not get the account by it.
  if (fields.email !== undefined) await confirm(context, id, given ?? '');
  return changeUser(context, id, fields);
}

async function changePassword(data: z.output<typeof passwords>, context: ActionContext): Promise<{ message: string }> {
  const { id, sessionId } = signedInUser(context);
  const confirmed = await confirm(context, id, data.current_password);
  const passwordHash = unlessBusy(await context.passwords.hash(data.new_password));
  await inTransaction(context.db, async (client) => {
    const user = await lockUser(client, id);
    if (!user?.is_active) throw userNotFound(id);
    if ((await findPasswordHash(client, id)) !== confirmed) throw wrongPassword();
    await setPassword(client, id, passwordHash);
    await endSessionsOf(client, id, sessionId);
    await forgetDevices(client, id);
    await dropLinks(client, id);
  });
  return { message: 'Password changed' };
}

/** Has the user show that he knows his password. Returns its hash. @throws AppError BAD_REQUEST, RATE_LIMITED. */
async function confirm(context: ActionContext, userId: number, given: string): Promise<string> {
  const attempt = await countConfirmation(context, userId);
  const hash = await findPasswordHash(context.db, userId);
  const isRight = unlessBusy(await context.passwords.verify(given, hash));
  if (!isRight || hash === null) throw wrongPassword();
  await attempt.succeeded();
  return hash;
}

function wrongPassword(): AppError {
  return new AppError('BAD_REQUEST', 'The current password is wrong');
}

/** A key has no account of its own. @throws AppError FORBIDDEN. */
function signedInUser({ actor }: ActionContext): UserActor {
  if (actor.kind === 'user') return actor;
  throw new AppError('FORBIDDEN', 'Only a user who has signed in can do this');
}

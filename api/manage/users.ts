import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import { givenRoleId } from '../../core/role.ts';
import { rowId } from '../../core/row-id.ts';
import { emailAddress, personName, userLink, userResource } from '../../core/user.ts';
import { listUsers } from '../../db/users.ts';
import { changeUser, inviteUser, linkUser } from '../services/write-user.ts';
import { action, type ActionContext } from './action.ts';

export const userActions = [
  action({
    name: 'getUsers',
    permission: 'users.read',
    summary: 'List users, the oldest first',
    data: z.object({}),
    result: z.array(userResource),
    run: (_data, { db }) => listUsers(db),
  }),
  action({
    name: 'createNewUser',
    permission: 'users.write',
    summary: 'Invite a user: the answer holds a link, good once and for 7 days, by which he chooses his password',
    data: z.object({
      email: emailAddress,
      name: personName,
      role_ids: z.array(givenRoleId, 'role_ids must be an array').max(100).default(['member']),
    }),
    result: userLink.extend({ user: userResource }),
    about: ({ role_ids }) => ({ roleIds: role_ids.join(' ') }),
    run: (data, context) => inviteUser(context, { ...data, role_ids: [...new Set(data.role_ids)] }),
  }),
  action({
    name: 'resendInvitation',
    permission: 'users.write',
    summary:
      'Make another link for a user: his invitation, or, where he has taken it, one hour to choose another password',
    data: z.object({ user_id: rowId('user_id') }),
    result: userLink,
    about: ({ user_id }) => ({ userId: user_id }),
    run: async ({ user_id }, context) => {
      refuseSelf(context, user_id);
      return linkUser(context, user_id);
    },
  }),
  action({
    name: 'manualUpdate',
    permission: 'users.write',
    summary: "Change a user's name or email, or switch him off and on: what is not named is kept",
    data: z.object({
      user_id: rowId('user_id'),
      name: personName.optional(),
      email: emailAddress.optional(),
      is_active: z.boolean('is_active must be a boolean').optional(),
    }),
    result: userResource,
    about: ({ user_id }) => ({ userId: user_id }),
    run: async ({ user_id, ...fields }, context) => {
      if (fields.email !== undefined) refuseSelf(context, user_id);
      return changeUser(context, user_id, fields);
    },
  }),
];

/** Who finds a browser open shall not get the account by it: one's own takes the password, by updateUser, updatePassword. */
function refuseSelf({ actor }: ActionContext, userId: number): void {
  if (actor.kind === 'user' && actor.id === userId)
    throw new AppError('BAD_REQUEST', 'Change your own email and password with the password that you have');
}

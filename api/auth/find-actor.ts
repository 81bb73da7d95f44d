import { permissionsOf } from '../../core/permissions.ts';
import type { Queryable } from '../../db/client.ts';
import { findSession } from '../../db/sessions.ts';
import type { UserActor } from '../context.ts';

/** Who has the live session of this token, and what he may do now; the owner may do everything, whatever his roles. */
export async function findActor(db: Queryable, token: string): Promise<UserActor | undefined> {
  const session = await findSession(db, token);
  if (!session) return undefined;
  const { id: sessionId, user_id: id, name, is_owner: isOwner, role_ids, granted } = session;
  const permissions = permissionsOf(isOwner ? ['admin'] : role_ids, granted);
  return { kind: 'user', id, name, isOwner, sessionId, permissions };
}

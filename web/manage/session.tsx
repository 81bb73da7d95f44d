import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Permission } from '../../core/permissions.ts';
import type { User } from '../../core/user.ts';

/** Who is signed in. */
export interface Session {
  name: string;
  user: User | null;
  permissions: readonly Permission[];
}

interface Held {
  session: Session;
  signOut: () => Promise<void>;
  /** Asks again who it is, after his account has changed. */
  refresh: () => void;
}

export const SessionContext = createContext<Held | null>(null);

/** The session of the view at hand; views stand only where there is one. */
export function useSession() {
  const held = useContext(SessionContext);
  if (!held) throw new Error('a view outside of a session');
  const may = (permission: Permission): boolean => held.session.permissions.includes(permission);
  /** Why somebody without the permission cannot do it; undefined for who has it. */
  const refusal = (permission: Permission): string | undefined =>
    may(permission) ? undefined : `Your role does not have the permission ${permission}`;
  return { ...held, may, refusal };
}

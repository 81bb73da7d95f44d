import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Permission } from '../../core/permissions.ts';

/** Who is signed in. */
export interface Session {
  name: string;
  permissions: readonly Permission[];
}

export const SessionContext = createContext<{ session: Session; signOut: () => Promise<void> } | null>(null);

/** The session of the view at hand; views stand only where there is one. */
export function useSession() {
  const held = useContext(SessionContext);
  if (!held) throw new Error('a view outside of a session');
  const may = (permission: Permission): boolean => held.session.permissions.includes(permission);
  return { ...held, may };
}

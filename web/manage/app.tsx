import { useCallback, useEffect, useState } from 'preact/hooks';
import { LocationProvider } from 'preact-iso';
import { send, SIGNED_OUT } from './client.ts';
import { ChoosePassword } from './door/choose-password.tsx';
import { SetUp } from './door/set-up.tsx';
import { SignIn, SignInForm } from './door/sign-in.tsx';
import { Frame } from './frame.tsx';
import { Dialog } from './parts/dialog.tsx';
import { SessionContext, type Session } from './session.tsx';

/** `isOver`: the session has ended behind what is shown, which stays for whoever signs in again. */
type Door = 'loading' | 'sign-in' | 'set-up' | { session: Session; isOver: boolean } | { fault: Error };

/** What `GET /manage/auth/setup` answers. */
interface Setup {
  needed: boolean;
  signed_in: boolean;
}

/** The dashboard: whoever is signed in sees it, everybody else is asked who he is. */
export function App() {
  const [door, setDoor] = useState<Door>('loading');
  const enter = useCallback(() => void knock().then(setDoor), []);
  useEffect(enter, [enter]);
  useEffect(() => {
    const lock = (): void =>
      setDoor((before) => (typeof before === 'object' && 'session' in before ? { ...before, isOver: true } : before));
    window.addEventListener(SIGNED_OUT, lock);
    return () => window.removeEventListener(SIGNED_OUT, lock);
  }, []);
  const signOut = useCallback(async () => {
    await send('POST', '/manage/auth/logout', {});
    setDoor('sign-in');
  }, []);
  if (location.pathname === '/manage/password') return <ChoosePassword onDone={leaveLink} />;
  if (door === 'loading') return <p role="status">Loading …</p>;
  if (door === 'sign-in') return <SignIn onDone={enter} />;
  if (door === 'set-up') return <SetUp onDone={enter} />;
  if ('fault' in door) return <Closed fault={door.fault} onRetry={enter} />;
  return (
    <SessionContext.Provider value={{ session: door.session, signOut, refresh: enter }}>
      <LocationProvider scope="/manage">
        <Frame key={door.session.user?.id} />
      </LocationProvider>
      {door.isOver && (
        <Dialog title="Sign in again" onClose={() => setDoor('sign-in')}>
          <p>Your session has ended. What you were doing stays as it is.</p>
          <SignInForm onDone={enter} />
        </Dialog>
      )}
    </SessionContext.Provider>
  );
}

/** Asks first whether anybody is signed in: what is refused would stand on the console of everybody who comes. */
async function knock(): Promise<Door> {
  try {
    const { needed, signed_in: isSignedIn } = await send<Setup>('GET', '/manage/auth/setup');
    if (isSignedIn) return { session: await send<Session>('GET', '/manage/auth/session'), isOver: false };
    return needed ? 'set-up' : 'sign-in';
  } catch (error) {
    return { fault: error instanceof Error ? error : new Error(String(error)) };
  }
}

function leaveLink(): void {
  location.assign('/manage');
}

function Closed({ fault, onRetry }: { fault: Error; onRetry: () => void }) {
  return (
    <main class="door card">
      <h1>The dashboard cannot be opened</h1>
      <p>{fault.message}</p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </main>
  );
}

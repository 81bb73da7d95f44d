import { useEffect, useState } from 'preact/hooks';
import type { UserLink } from '../../../core/user.ts';
import { send } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { NewPasswordField } from '../parts/field.tsx';

interface Link {
  purpose: UserLink['purpose'];
  email: string;
  name: string;
}

/** Where a one-time link leads: its bearer chooses a password and is signed in. The token stands after the `#`. */
export function ChoosePassword({ onDone }: { onDone: () => void }) {
  const token = location.hash.slice(1);
  const [link, setLink] = useState<Link | Error>();
  useEffect(() => {
    send<Link>('POST', '/manage/auth/link', { token }).then(setLink, setLink);
  }, [token]);
  if (link === undefined) return <p role="status">Loading …</p>;
  if (link instanceof Error)
    return (
      <main class="door card">
        <h1>This link cannot be used</h1>
        <p>{link.message}</p>
        <p>
          <a href="/manage">Sign in</a>
        </p>
      </main>
    );
  return (
    <main class="door card">
      <h1>{link.purpose === 'INVITE' ? `Welcome, ${link.name}` : 'Choose another password'}</h1>
      <p>{link.email}</p>
      <ChangeForm
        verb="Save and sign in"
        busy="Saving …"
        work={({ password }) => send('POST', '/manage/auth/password', { token, password }).then(onDone)}
      >
        {(error) => <NewPasswordField error={error} isFirst />}
      </ChangeForm>
    </main>
  );
}

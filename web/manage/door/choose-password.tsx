import { useEffect, useState } from 'preact/hooks';
import { send } from '../client.ts';
import { Field, focusFirst } from '../parts/field.tsx';
import { Fault } from '../parts/notice.tsx';
import { useChange } from '../parts/use-action.ts';

interface Link {
  purpose: 'INVITE' | 'RESET';
  email: string;
  name: string;
}

/** Where a one-time link leads: its bearer chooses a password and is signed in. The token stands after the `#`. */
export function ChoosePassword({ onDone }: { onDone: () => void }) {
  const token = location.hash.slice(1);
  const [link, setLink] = useState<Link | Error>();
  const { isBusy, error, run } = useChange();
  useEffect(() => {
    send<Link>('POST', '/manage/auth/link', { token }).then(setLink, setLink);
  }, [token]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const password = new FormData(event.currentTarget as HTMLFormElement).get('password');
    void run(() => send('POST', '/manage/auth/password', { token, password })).then((done) => done && onDone());
  };
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
      <form class="stack" onSubmit={submit}>
        <Field
          label="Password"
          name="password"
          error={error}
          hint="At least 8 characters, among them a digit, a lower and an upper case letter."
        >
          {(control) => (
            <input {...control} type="password" required minLength={8} autocomplete="new-password" ref={focusFirst} />
          )}
        </Field>
        <Fault error={error} />
        <button type="submit" disabled={isBusy}>
          {isBusy ? 'Saving …' : 'Save and sign in'}
        </button>
      </form>
    </main>
  );
}

import { send } from '../client.ts';
import { Field, focusFirst } from '../parts/field.tsx';
import { Fault } from '../parts/notice.tsx';
import { useChange } from '../parts/use-action.ts';

/** Asks who somebody is. */
export function SignIn({ onDone }: { onDone: () => void }) {
  const { isBusy, error, run } = useChange();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    // The form is the one below: a text each.
    const values = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    void run(() => send('POST', '/manage/auth/login', values)).then((done) => done && onDone());
  };
  return (
    <main class="door card">
      <h1>Sign in</h1>
      <form class="stack" onSubmit={submit}>
        <Field label="Email" name="email" error={error}>
          {(control) => <input {...control} type="email" autocomplete="username" required ref={focusFirst} />}
        </Field>
        <Field label="Password" name="password" error={error}>
          {(control) => <input {...control} type="password" autocomplete="current-password" required />}
        </Field>
        <Fault error={error} />
        <button type="submit" disabled={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <p class="hint">Forgotten the password? Whoever runs this service can make a link to choose another.</p>
    </main>
  );
}

import { send } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { Field, focusFirst } from '../parts/field.tsx';

/** Asks who somebody is. */
export function SignIn({ onDone }: { onDone: () => void }) {
  return (
    <main class="door card">
      <h1>Sign in</h1>
      <SignInForm onDone={onDone} />
      <p class="hint">Forgotten the password? Whoever runs this service can make a link to choose another.</p>
    </main>
  );
}

export function SignInForm({ onDone }: { onDone: () => void }) {
  return (
    <ChangeForm
      verb="Sign in"
      busy="Signing in …"
      work={(values) => send('POST', '/manage/auth/login', values).then(onDone)}
    >
      {(error) => (
        <>
          <Field label="Email" name="email" error={error}>
            {(control) => <input {...control} type="email" autocomplete="username" required ref={focusFirst} />}
          </Field>
          <Field label="Password" name="password" error={error}>
            {(control) => <input {...control} type="password" autocomplete="current-password" required />}
          </Field>
        </>
      )}
    </ChangeForm>
  );
}

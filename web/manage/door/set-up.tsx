import { send } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { Field, NewPasswordField } from '../parts/field.tsx';

/** Makes the first user, who owns the service. */
export function SetUp({ onDone }: { onDone: () => void }) {
  const given = location.hash.slice(1);
  return (
    <main class="door card">
      <h1>Set up Farwatch</h1>
      <p>Nobody can sign in yet. Make the account of the owner; others are invited from the dashboard.</p>
      <ChangeForm
        verb="Create the owner"
        busy="Setting up …"
        work={(values) => send('POST', '/manage/auth/setup', values).then(onDone)}
      >
        {(error) => (
          <>
            <Field
              label="Set-up token"
              name="token"
              error={error}
              hint="The launcher printed it; on another installation run: farwatch users create-owner"
            >
              {(control) => <input {...control} required autocomplete="off" defaultValue={given} />}
            </Field>
            <Field label="Name" name="name" error={error}>
              {(control) => <input {...control} required autocomplete="name" />}
            </Field>
            <Field label="Email" name="email" error={error}>
              {(control) => <input {...control} type="email" required autocomplete="username" />}
            </Field>
            <NewPasswordField error={error} />
          </>
        )}
      </ChangeForm>
    </main>
  );
}

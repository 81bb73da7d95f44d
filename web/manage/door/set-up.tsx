import { send } from '../client.ts';
import { Field } from '../parts/field.tsx';
import { Fault } from '../parts/notice.tsx';
import { useChange } from '../parts/use-action.ts';

const PASSWORD = 'At least 8 characters, among them a digit, a lower and an upper case letter.';

/** Makes the first user, who owns the service. */
export function SetUp({ onDone }: { onDone: () => void }) {
  const { isBusy, error, run } = useChange();
  const given = location.hash.slice(1);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    // The form is the one below: a text each.
    const values = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    void run(() => send('POST', '/manage/auth/setup', values)).then((done) => done && onDone());
  };
  return (
    <main class="door card">
      <h1>Set up Farwatch</h1>
      <p>Nobody can sign in yet. Make the account of the owner; others are invited from the dashboard.</p>
      <form class="stack" onSubmit={submit}>
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
        <Field label="Password" name="password" error={error} hint={PASSWORD}>
          {(control) => <input {...control} type="password" required minLength={8} autocomplete="new-password" />}
        </Field>
        <Fault error={error} />
        <button type="submit" disabled={isBusy}>
          {isBusy ? 'Setting up …' : 'Create the owner'}
        </button>
      </form>
    </main>
  );
}

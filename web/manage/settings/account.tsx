import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { act } from '../client.ts';
import { Field } from '../parts/field.tsx';
import { valuesOf } from '../parts/form.ts';
import { Fault } from '../parts/notice.tsx';
import { useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

/** One's own account: the name and the password. */
export function Account() {
  const { session } = useSession();
  return (
    <>
      <h1>Your account</h1>
      <Own title="Name" action="updateUser" verb="Save name">
        {(error) => (
          <Field label="Name" name="name" error={error}>
            {(control) => <input {...control} required defaultValue={session.name} autocomplete="name" />}
          </Field>
        )}
      </Own>
      <Own title="Password" action="updatePassword" verb="Change password" hint="Every other session of yours ends.">
        {(error) => (
          <>
            <Field label="Current password" name="current_password" error={error}>
              {(control) => <input {...control} type="password" required autocomplete="current-password" />}
            </Field>
            <Field label="New password" name="new_password" error={error}>
              {(control) => <input {...control} type="password" required autocomplete="new-password" />}
            </Field>
          </>
        )}
      </Own>
    </>
  );
}

interface OwnProps {
  title: string;
  action: 'updateUser' | 'updatePassword';
  verb: string;
  hint?: string;
  children: (error: Error | undefined) => ComponentChildren;
}

function Own({ title, action, verb, hint, children }: OwnProps) {
  const { isBusy, error, run } = useChange();
  const [isDone, setDone] = useState(false);
  const submit = (event: SubmitEvent): void => {
    const values = valuesOf(event);
    setDone(false);
    void run(() => act(action, values)).then(setDone);
  };
  return (
    <form class="card stack" onSubmit={submit}>
      <h2>{title}</h2>
      {hint && <p class="quiet">{hint}</p>}
      {children(error)}
      <Fault error={error} />
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Saving …' : verb}
      </button>
      <p role="status">{isDone && 'Saved.'}</p>
    </form>
  );
}

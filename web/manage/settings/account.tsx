import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { Choice, Field, NewPasswordField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { useSession } from '../session.tsx';
import { Sessions } from './sessions.tsx';
import { useTheme } from './use-theme.ts';

/** One's own account: who one is, the password, and where one is signed in. */
export function Account() {
  return (
    <>
      <Heading title="Your account" />
      <div class="columns">
        <Who />
        <Password />
      </div>
      <Sessions />
      <Appearance />
    </>
  );
}

function Who() {
  const { session, refresh } = useSession();
  const { name, user } = session;
  const save = async ({ email, current_password, ...fields }: Record<string, string>): Promise<void> => {
    const isMoved = email !== user?.email;
    await act('updateUser', { ...fields, ...(isMoved && { email, current_password }) });
    refresh();
  };
  return (
    <section class="card stack">
      <h2>Name and email</h2>
      <ChangeForm verb="Save" busy="Saving …" done="Saved." work={save}>
        {(error) => (
          <>
            <Field label="Name" name="name" error={error}>
              {(control) => <input {...control} required defaultValue={name} autocomplete="name" />}
            </Field>
            <Field label="Email" name="email" error={error}>
              {(control) => (
                <input {...control} type="email" required defaultValue={user?.email} autocomplete="username" />
              )}
            </Field>
            <Field label="Password" name="current_password" error={error} hint="Needed for another email only.">
              {(control) => <input {...control} type="password" autocomplete="current-password" />}
            </Field>
          </>
        )}
      </ChangeForm>
    </section>
  );
}

function Password() {
  return (
    <section class="card stack">
      <h2>Password</h2>
      <p class="quiet">Every other session of yours ends with another password.</p>
      <ChangeForm
        verb="Change password"
        busy="Saving …"
        done="Changed."
        isReset
        work={(values) => act('updatePassword', values)}
      >
        {(error) => (
          <>
            <Field label="Current password" name="current_password" error={error}>
              {(control) => <input {...control} type="password" required autocomplete="current-password" />}
            </Field>
            <NewPasswordField label="New password" name="new_password" error={error} />
          </>
        )}
      </ChangeForm>
    </section>
  );
}

function Appearance() {
  const [theme, setTheme] = useTheme();
  return (
    <section class="card stack">
      <h2>Appearance</h2>
      <Choice
        label="Colours, in this browser"
        value={theme}
        options={[
          ['', 'As the system'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        onChange={setTheme}
        class="field narrow"
      />
    </section>
  );
}

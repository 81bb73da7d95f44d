import { useState } from 'preact/hooks';
import type { User } from '../../../core/user.ts';
import { act } from '../client.ts';
import { Field } from '../parts/field.tsx';
import { valuesOf } from '../parts/form.ts';
import { Fault, Shown } from '../parts/notice.tsx';
import { Secret } from '../parts/secret.tsx';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

interface Role {
  id: string;
  name: string;
}

interface Link {
  link: string;
  expires_at: string;
}

/** Who may sign in: invited by a link, given roles, switched off and on. */
export function Users() {
  const { may } = useSession();
  const users = useAction<User[]>('getUsers');
  const roles = useAction<Role[]>('getRoles');
  const [link, setLink] = useState<Link & { name: string }>();
  return (
    <>
      <h1>Users</h1>
      {link && (
        <Secret
          title={`A link for ${link.name}`}
          text={`Pass it on yourself: it is good once, until ${new Date(link.expires_at).toLocaleString()}, and shown only now.`}
          secret={new URL(link.link, location.origin).href}
          onDone={() => setLink(undefined)}
        />
      )}
      {may('users.write') && (
        <Invite
          roles={roles.result ?? []}
          onInvited={(made) => {
            setLink(made);
            users.reload();
          }}
        />
      )}
      <Shown of={users}>
        {(list) => (
          <div class="card table-box">
            <table>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Email</th>
                  <th scope="col">Roles</th>
                  <th scope="col">Active</th>
                  <th scope="col">
                    <span class="unseen">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.map((user) => (
                  <UserRow key={user.id} user={user} onChange={users.reload} onLink={setLink} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Shown>
    </>
  );
}

function Invite({ roles, onInvited }: { roles: readonly Role[]; onInvited: (made: Link & { name: string }) => void }) {
  const { isBusy, error, run } = useChange();
  const submit = (event: SubmitEvent): void => {
    const form = event.currentTarget;
    const { role = 'member', name = '', email } = valuesOf(event);
    void run(async () => {
      const { link, expires_at } = await act<Link>('createNewUser', { email, name, role_ids: [role] });
      onInvited({ link, expires_at, name });
      if (form instanceof HTMLFormElement) form.reset();
    });
  };
  return (
    <form class="card grid-form" onSubmit={submit}>
      <Field label="Name" name="name" error={error}>
        {(control) => <input {...control} required autocomplete="off" />}
      </Field>
      <Field label="Email" name="email" error={error}>
        {(control) => <input {...control} type="email" required autocomplete="off" />}
      </Field>
      <Field label="Role" name="role_ids" error={error}>
        {(control) => (
          <select {...control} name="role" defaultValue="member">
            {roles.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Inviting …' : 'Invite'}
      </button>
      <Fault error={error} />
    </form>
  );
}

interface RowProps {
  user: User;
  onChange: () => void;
  onLink: (link: Link & { name: string }) => void;
}

function UserRow({ user, onChange, onLink }: RowProps) {
  const { may } = useSession();
  const { isBusy, error, run } = useChange();
  const { id: user_id, name, email, is_active, is_owner, has_password, role_ids } = user;
  return (
    <tr>
      <th scope="row">
        {name}
        {is_owner && <span class="tag">owner</span>}
        {!has_password && <span class="tag">invited</span>}
        <Fault error={error} />
      </th>
      <td>{email}</td>
      <td>{role_ids.join(', ')}</td>
      <td>
        <input
          type="checkbox"
          role="switch"
          aria-label={`${name} is active`}
          checked={is_active}
          disabled={isBusy || is_owner || !may('users.write')}
          onChange={() => void run(() => act('manualUpdate', { user_id, is_active: !is_active })).then(onChange)}
        />
      </td>
      <td>
        <button
          type="button"
          class="quiet"
          disabled={isBusy || !may('users.write')}
          onClick={() => void run(async () => onLink({ ...(await act<Link>('resendInvitation', { user_id })), name }))}
        >
          {has_password ? 'Password link' : 'New invitation'}
          <span class="unseen"> for {name}</span>
        </button>
      </td>
    </tr>
  );
}

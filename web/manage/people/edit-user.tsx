import { useState } from 'preact/hooks';
import type { Role } from '../../../core/role.ts';
import type { User } from '../../../core/user.ts';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { changedOf } from '../parts/form.ts';
import { Check } from '../parts/switch.tsx';
import { useSession } from '../session.tsx';

interface Props {
  user: User;
  roles: readonly Role[];
  onChange: () => void;
}

/** Changes who a user is and what he may do. */
export function EditUser({ user, roles, onChange }: Props) {
  const { may, session } = useSession();
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const isOwn = user.id === session.user?.id;
  const locked = whyLocked(user, isOwn, may('users.write') || may('roles.assign_users'));
  return (
    <>
      <button
        type="button"
        class="quiet small"
        disabled={locked !== undefined}
        title={locked}
        onClick={() => setOpen(true)}
      >
        Edit<span class="unseen"> {user.name}</span>
      </button>
      {isOpen && (
        <Dialog title={user.name} onClose={close}>
          <div class="stack">
            {may('users.write') && <Who user={user} isOwn={isOwn} onChange={onChange} />}
            {may('roles.assign_users') && <UserRoles user={user} roles={roles} onChange={onChange} />}
            <button type="button" class="quiet" onClick={close}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function whyLocked({ is_owner: isOwner }: User, isOwn: boolean, may: boolean): string | undefined {
  if (!may) return 'Your role does not have the permission users.write';
  return isOwner && !isOwn ? 'Nobody else changes the owner' : undefined;
}

function Who({ user, isOwn, onChange }: { user: User; isOwn: boolean; onChange: () => void }) {
  return (
    <ChangeForm
      verb="Save"
      busy="Saving …"
      done="Saved."
      work={(values, began) => act('manualUpdate', { user_id: user.id, ...changedOf(values, began) }).then(onChange)}
    >
      {(error) => (
        <>
          <Field label="Name" name="name" error={error}>
            {(control) => <input {...control} required defaultValue={user.name} />}
          </Field>
          {!isOwn && (
            <Field label="Email" name="email" error={error}>
              {(control) => <input {...control} type="email" required defaultValue={user.email} />}
            </Field>
          )}
        </>
      )}
    </ChangeForm>
  );
}

function UserRoles({ user, roles, onChange }: Props) {
  const { session } = useSession();
  const refusalOf = ({ id, permissions }: Role): string | undefined => {
    if (user.is_owner && id === 'admin') return 'The owner stays an admin';
    const isCovered = permissions.every((permission) => session.permissions.includes(permission));
    return isCovered ? undefined : 'It permits more than you may yourself';
  };
  return (
    <fieldset class="choices">
      <legend>Roles, which hold at once</legend>
      {roles.map((role) => (
        <Check
          key={role.id}
          label={role.name}
          isOn={user.role_ids.includes(role.id)}
          refusal={refusalOf(role)}
          work={(isOn) => act(isOn ? 'addUserToRole' : 'removeUserFromRole', { role_id: role.id, user_id: user.id })}
          onDone={onChange}
        />
      ))}
    </fieldset>
  );
}

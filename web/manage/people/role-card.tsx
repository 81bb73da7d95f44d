import { useState } from 'preact/hooks';
import { PERMISSIONS, type Permission } from '../../../core/permissions.ts';
import type { Role } from '../../../core/role.ts';
import type { User } from '../../../core/user.ts';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { AskFirst, Dialog } from '../parts/dialog.tsx';
import { changedOf } from '../parts/form.ts';
import { Fault, Shown } from '../parts/notice.tsx';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { RoleFields } from './role-fields.tsx';

interface Props {
  role: Role;
  onChange: () => void;
}

/** A role with what it permits and who has it. */
export function RoleCard({ role, onChange }: Props) {
  const { may } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { id: role_id, name, description, is_builtin: isBuiltIn, user_count: users } = role;
  return (
    <section class="card stack" aria-label={name}>
      <div class="title-row">
        <h2>
          {name}
          {isBuiltIn && <span class="tag">built in</span>}
        </h2>
        {!isBuiltIn && may('roles.write') && (
          <div class="buttons">
            <EditRole role={role} onChange={onChange} />
            <AskFirst
              label="Delete"
              about={`the role ${name}`}
              isSmall
              title={`Delete the role “${name}”?`}
              verb="Delete role"
              work={() => act('deleteRole', { role_id })}
              onDone={onChange}
            >
              <p>Whoever has it loses what it permits, from the next request on.</p>
            </AskFirst>
          </div>
        )}
      </div>
      {description && <p class="quiet">{description}</p>}
      <Permissions role={role} onChange={onChange} />
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{users === 1 ? '1 user' : `${users} users`}</summary>
        {isOpen && <Members roleId={role_id} />}
      </details>
    </section>
  );
}

function Members({ roleId }: { roleId: string }) {
  const users = useAction<User[]>('getRoleUsers', { role_id: roleId });
  return (
    <Shown of={users}>
      {(list) =>
        list.length === 0 ? (
          <p class="empty">Nobody has it yet. Roles are given in the list of users.</p>
        ) : (
          <ul>
            {list.map(({ id, name, email }) => (
              <li key={id}>
                {name} <span class="quiet">{email}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  );
}

function Permissions({ role, onChange }: Props) {
  const { may, refusal } = useSession();
  const { error, run } = useChange();
  const { id: role_id, name, is_builtin: isBuiltIn, permissions } = role;
  // All are written at once, so one that was ticked a moment ago counts before the server has said so.
  const [held, setHeld] = useState(permissions);
  const toggle = (permission: Permission): void => {
    const next = PERMISSIONS.filter((one) => held.includes(one) !== (one === permission));
    setHeld(next);
    void run(() => act('updateRolePermissions', { role_id, permissions: next })).then((isThrough) =>
      isThrough ? onChange() : setHeld(permissions),
    );
  };
  const why = isBuiltIn ? 'Nobody changes what a built-in role permits' : refusal('roles.assign_permissions');
  return (
    <details>
      <summary>
        {held.length} of {PERMISSIONS.length} permissions
      </summary>
      {why && <p class="hint">{why}.</p>}
      <Fault error={error} />
      <fieldset class="choices columns-narrow">
        <legend class="unseen">Permissions of {name}</legend>
        {PERMISSIONS.map((permission) => (
          <label key={permission}>
            <input
              type="checkbox"
              checked={held.includes(permission)}
              disabled={why !== undefined || !may(permission)}
              onChange={() => toggle(permission)}
            />{' '}
            {permission}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function EditRole({ role, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const save = async (values: Record<string, string>, began: Record<string, string>): Promise<void> => {
    await act('updateRole', { role_id: role.id, ...changedOf(values, began) });
    close();
    onChange();
  };
  return (
    <>
      <button type="button" class="quiet small" onClick={() => setOpen(true)}>
        Edit<span class="unseen"> the role {role.name}</span>
      </button>
      {isOpen && (
        <Dialog title={`Edit “${role.name}”`} onClose={close}>
          <ChangeForm verb="Save" busy="Saving …" work={save} onCancel={close}>
            {(error) => <RoleFields role={role} error={error} />}
          </ChangeForm>
        </Dialog>
      )}
    </>
  );
}

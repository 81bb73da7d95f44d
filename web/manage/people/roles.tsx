import { useState } from 'preact/hooks';
import { PERMISSIONS, type Permission } from '../../../core/permissions.ts';
import type { Role } from '../../../core/role.ts';
import { act } from '../client.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { valuesOf } from '../parts/form.ts';
import { Fault, Shown } from '../parts/notice.tsx';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

/** What a role permits; the three built-in ones stand, others are made here. */
export function Roles() {
  const { may } = useSession();
  const roles = useAction<Role[]>('getRoles');
  return (
    <>
      <h1>Roles</h1>
      {may('roles.write') && <CreateRole onCreated={roles.reload} />}
      <Shown of={roles}>
        {(list) => list.map((role) => <RoleCard key={role.id} role={role} onChange={roles.reload} />)}
      </Shown>
    </>
  );
}

function CreateRole({ onCreated }: { onCreated: () => void }) {
  const { isBusy, error, run } = useChange();
  const submit = (event: SubmitEvent): void => {
    const form = event.currentTarget;
    const values = valuesOf(event);
    void run(() => act('createRole', values)).then((done) => {
      if (!done) return;
      if (form instanceof HTMLFormElement) form.reset();
      onCreated();
    });
  };
  return (
    <form class="card grid-form" onSubmit={submit}>
      <Field label="Id" name="id" error={error} hint="Lowercase letters, digits, - and _">
        {(control) => <input {...control} required autocomplete="off" />}
      </Field>
      <Field label="Name" name="name" error={error}>
        {(control) => <input {...control} required autocomplete="off" />}
      </Field>
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Creating …' : 'Create role'}
      </button>
      <Fault error={error} />
    </form>
  );
}

function RoleCard({ role, onChange }: { role: Role; onChange: () => void }) {
  const { may } = useSession();
  const { isBusy, error, run } = useChange();
  const [isAsking, setAsking] = useState(false);
  const { id: role_id, name, description, is_builtin: isBuiltIn, permissions, user_count: users } = role;
  const toggle = (permission: Permission): void => {
    const next = permissions.includes(permission)
      ? permissions.filter((other) => other !== permission)
      : [...permissions, permission];
    void run(() => act('updateRolePermissions', { role_id, permissions: next })).then(onChange);
  };
  const isLocked = isBusy || isBuiltIn || !may('roles.assign_permissions');
  return (
    <section class="card stack">
      <div class="title-row">
        <h2>
          {name}
          {isBuiltIn && <span class="tag">built in</span>}
        </h2>
        {!isBuiltIn && may('roles.write') && (
          <button type="button" class="danger small" onClick={() => setAsking(true)}>
            Delete<span class="unseen"> the role {name}</span>
          </button>
        )}
      </div>
      <p class="quiet">
        {users === 1 ? '1 user' : `${users} users`}
        {description && `. ${description}`}
      </p>
      <Fault error={error} />
      <details>
        <summary>
          {permissions.length} of {PERMISSIONS.length} permissions
        </summary>
        <fieldset class="choices">
          <legend class="unseen">Permissions of {name}</legend>
          {PERMISSIONS.map((permission) => (
            <label key={permission}>
              <input
                type="checkbox"
                checked={permissions.includes(permission)}
                disabled={isLocked || !may(permission)}
                onChange={() => toggle(permission)}
              />{' '}
              {permission}
            </label>
          ))}
        </fieldset>
      </details>
      {isAsking && (
        <Confirm
          title={`Delete the role “${name}”?`}
          verb="Delete role"
          work={() => act('deleteRole', { role_id })}
          onClose={() => {
            setAsking(false);
            onChange();
          }}
        >
          <p>Whoever has it loses what it permits, from the next request on.</p>
        </Confirm>
      )}
    </section>
  );
}

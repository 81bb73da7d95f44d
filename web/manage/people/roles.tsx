import type { Role } from '../../../core/role.ts';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { Field } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/notice.tsx';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { RoleCard } from './role-card.tsx';
import { RoleFields } from './role-fields.tsx';

/** What a role permits; the three built-in ones stand, others are made here. */
export function Roles() {
  const { may } = useSession();
  const roles = useAction<Role[]>('getRoles');
  return (
    <>
      <Heading title="Roles" />
      {may('roles.write') && (
        <section class="card">
          <h2>Create a role</h2>
          <ChangeForm
            verb="Create role"
            busy="Creating …"
            isReset
            work={(values) => act('createRole', values).then(roles.reload)}
          >
            {(error) => (
              <div class="grid-form">
                <Field label="Id" name="id" error={error} hint="Lowercase letters, digits, - and _">
                  {(control) => <input {...control} required autocomplete="off" />}
                </Field>
                <RoleFields error={error} />
              </div>
            )}
          </ChangeForm>
        </section>
      )}
      <Shown of={roles}>
        {(list) => (
          <div class="cards">
            {list.map((role) => (
              <RoleCard key={role.id} role={role} onChange={roles.reload} />
            ))}
          </div>
        )}
      </Shown>
    </>
  );
}

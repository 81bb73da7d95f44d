import type { Role } from '../../../core/role.ts';
import { Field } from '../parts/field.tsx';

interface Props {
  role?: Role;
  error: Error | undefined;
}

/** What a role is called, and what for. */
export function RoleFields({ role, error }: Props) {
  return (
    <>
      <Field label="Name" name="name" error={error}>
        {(control) => <input {...control} required autocomplete="off" defaultValue={role?.name} />}
      </Field>
      <Field label="Description" name="description" error={error}>
        {(control) => <input {...control} autocomplete="off" defaultValue={role?.description ?? ''} />}
      </Field>
    </>
  );
}

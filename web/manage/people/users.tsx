import { useState } from 'preact/hooks';
import type { Role } from '../../../core/role.ts';
import type { User, UserLink } from '../../../core/user.ts';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { Field, SelectField } from '../parts/field.tsx';
import { momentOfText } from '../parts/form.ts';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/notice.tsx';
import { Secret } from '../parts/secret.tsx';
import { Switch } from '../parts/switch.tsx';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { EditUser } from './edit-user.tsx';
import { LinkButton } from './link-button.tsx';

type NamedLink = UserLink & { name: string };

/** Who may sign in: invited by a link, given roles, switched off and on. */
export function Users() {
  const { may } = useSession();
  const users = useAction<User[]>('getUsers');
  const roles = useAction<Role[]>('getRoles');
  const [link, setLink] = useState<NamedLink>();
  const known = roles.result ?? [];
  return (
    <>
      <Heading title="Users" />
      {link && (
        <Secret
          title={`A link for ${link.name}`}
          text={`Pass it on yourself: it is good once, until ${momentOfText(link.expires_at)}, and shown only now.`}
          secret={new URL(link.link, location.origin).href}
          onDone={() => setLink(undefined)}
        />
      )}
      {may('users.write') && (
        <Invite
          roles={known}
          onInvited={(made) => {
            setLink(made);
            users.reload();
          }}
        />
      )}
      <Shown of={users}>
        {(list) => <UserTable users={list} roles={known} onChange={users.reload} onLink={setLink} />}
      </Shown>
    </>
  );
}

function Invite({ roles, onInvited }: { roles: readonly Role[]; onInvited: (made: NamedLink) => void }) {
  const { session } = useSession();
  const given = roles.filter(({ permissions }) =>
    permissions.every((permission) => session.permissions.includes(permission)),
  );
  const invite = async ({ role_ids: role = 'member', name = '', email }: Record<string, string>): Promise<void> => {
    onInvited({ ...(await act<UserLink>('createNewUser', { email, name, role_ids: [role] })), name });
  };
  return (
    <section class="card">
      <h2>Invite somebody</h2>
      <ChangeForm verb="Invite" busy="Inviting …" work={invite} isReset>
        {(error) => (
          <div class="grid-form">
            <Field label="Name" name="name" error={error}>
              {(control) => <input {...control} required autocomplete="off" />}
            </Field>
            <Field label="Email" name="email" error={error}>
              {(control) => <input {...control} type="email" required autocomplete="off" />}
            </Field>
            {given.length > 0 && (
              <SelectField
                label="Role"
                name="role_ids"
                error={error}
                options={given.map(({ id, name }) => [id, name] as const)}
                chosen="member"
              />
            )}
          </div>
        )}
      </ChangeForm>
    </section>
  );
}

interface TableProps {
  users: readonly User[];
  roles: readonly Role[];
  onChange: () => void;
  onLink: (link: NamedLink) => void;
}

function UserTable({ users, roles, onChange, onLink }: TableProps) {
  const { session, refusal } = useSession();
  const nameOf = (id: string): string => roles.find((role) => role.id === id)?.name ?? id;
  const columns: Column<User>[] = [
    {
      title: 'Name',
      cell: ({ name, email, is_owner: isOwner, has_password: hasPassword }) => (
        <>
          {name}
          {isOwner && <span class="tag">owner</span>}
          {!hasPassword && <span class="tag">invited</span>}
          <span class="beneath quiet">{email}</span>
        </>
      ),
    },
    { title: 'Roles', cell: ({ role_ids: ids }) => ids.map(nameOf).join(', ') || 'none' },
    { title: 'Since', cell: ({ created_at: at }) => <time dateTime={at}>{momentOfText(at)}</time> },
    {
      title: 'Active',
      cell: (user) => (
        <Switch
          label={`${user.name} is active`}
          isOn={user.is_active}
          refusal={refusal('users.write') ?? whyActivityStays(user, session.user?.id)}
          work={(isOn) => act('manualUpdate', { user_id: user.id, is_active: isOn })}
          onDone={onChange}
        />
      ),
    },
    {
      title: 'Actions',
      kind: 'actions',
      cell: (user) => (
        <>
          <EditUser user={user} roles={roles} onChange={onChange} />
          <LinkButton user={user} onLink={(link) => onLink({ ...link, name: user.name })} />
        </>
      ),
    },
  ];
  return <DataTable label="Users" columns={columns} rows={users} keyOf={({ id }) => id} />;
}

function whyActivityStays(
  { id, is_owner: isOwner, has_password: hasPassword }: User,
  own?: number,
): string | undefined {
  if (isOwner) return 'The owner cannot be switched off';
  if (id === own) return 'Nobody switches himself off';
  return hasPassword ? undefined : 'The user becomes active by taking the invitation';
}

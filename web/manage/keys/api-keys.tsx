import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../core/api-key.ts';
import type { Role } from '../../../core/role.ts';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { AskFirst } from '../parts/dialog.tsx';
import { Field, SelectField } from '../parts/field.tsx';
import { momentOfText } from '../parts/form.ts';
import { Heading } from '../parts/heading.tsx';
import { Empty, Shown } from '../parts/notice.tsx';
import { Secret } from '../parts/secret.tsx';
import { Switch } from '../parts/switch.tsx';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

interface Created {
  name: string;
  apiKey: string;
}

/** What lists show of a masked key (specification 5.7). */
const SHOWN_CHARACTERS = 32;

/** API keys: made, switched and deleted. */
export function ApiKeys() {
  const { may } = useSession();
  const keys = useAction<ApiKey[]>('getAPIKeys');
  const [fresh, setFresh] = useState<Created>();
  return (
    <>
      <Heading title="API keys" />
      <p class="quiet">
        Programs show a key in the header <code>Authorization: Bearer …</code> and act with the key’s role.
      </p>
      {fresh && (
        <Secret
          title={`The key “${fresh.name}” is made`}
          text="Copy it now: it is shown this once and kept nowhere. Whoever loses it makes another."
          secret={fresh.apiKey}
          onDone={() => setFresh(undefined)}
        />
      )}
      {may('api_keys.write') && (
        <CreateKey
          onCreated={(created) => {
            setFresh(created);
            keys.reload();
          }}
        />
      )}
      <Shown of={keys}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No keys yet">
              <p>Give the first one a name that says which program will use it.</p>
            </Empty>
          ) : (
            <KeyTable keys={list} onChange={keys.reload} />
          )
        }
      </Shown>
    </>
  );
}

function CreateKey({ onCreated }: { onCreated: (created: Created) => void }) {
  const { may } = useSession();
  return (
    <section class="card">
      <h2>Create a key</h2>
      <ChangeForm
        verb="Create key"
        busy="Creating …"
        isReset
        work={async (values) => onCreated(await act<Created>('createNewApiKey', values))}
      >
        {(error) => (
          <div class="grid-form">
            <Field label="Name" name="name" error={error} hint="Which program uses it, and what for">
              {(control) => <input {...control} required maxLength={255} autocomplete="off" />}
            </Field>
            {may('roles.read') && <RoleField error={error} />}
          </div>
        )}
      </ChangeForm>
    </section>
  );
}

function RoleField({ error }: { error: Error | undefined }) {
  const { result: roles = [] } = useAction<Role[]>('getRoles');
  const { session } = useSession();
  const mayGive = ({ permissions }: Role): boolean =>
    permissions.every((permission) => session.permissions.includes(permission));
  return (
    <SelectField
      label="Role"
      name="role_id"
      error={error}
      hint="None that may do more than you."
      options={roles.filter(mayGive).map(({ id, name }) => [id, name] as const)}
    />
  );
}

function KeyTable({ keys, onChange }: { keys: readonly ApiKey[]; onChange: () => void }) {
  const { refusal } = useSession();
  const locked = refusal('api_keys.delete');
  const columns: Column<ApiKey>[] = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Key', cell: ({ masked_key: masked }) => <code>{masked.slice(-SHOWN_CHARACTERS)}</code> },
    { title: 'Role', cell: ({ role_id: role }) => role },
    { title: 'Created', cell: ({ created_at: at }) => <time dateTime={at}>{momentOfText(at)}</time> },
    {
      title: 'Active',
      cell: ({ id, name, status }) => (
        <Switch
          label={`${name} is active`}
          isOn={status === 'ACTIVE'}
          refusal={refusal('api_keys.write')}
          work={(isOn) => act('updateApiKeyStatus', { id, status: isOn ? 'ACTIVE' : 'INACTIVE' })}
          onDone={onChange}
        />
      ),
    },
    {
      title: 'Actions',
      kind: 'actions',
      cell: ({ id, name }) => (
        <AskFirst
          label="Delete"
          about={name}
          isSmall
          refusal={locked}
          title={`Delete the key “${name}”?`}
          verb="Delete key"
          work={() => act('deleteApiKey', { id })}
          onDone={onChange}
        >
          <p>Every program that uses it is refused from its next request on. It cannot be brought back.</p>
        </AskFirst>
      ),
    },
  ];
  return (
    <>
      <DataTable label="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} />
      {locked && <p class="hint">{locked}: keys can be deleted by those who have it.</p>}
    </>
  );
}

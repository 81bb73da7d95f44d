import { useState } from 'preact/hooks';
import { act } from '../client.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Empty, Fault, Shown } from '../parts/notice.tsx';
import { Secret } from '../parts/secret.tsx';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

interface ApiKey {
  id: number;
  name: string;
  masked_key: string;
  status: 'ACTIVE' | 'INACTIVE';
  role_id: string;
  created_at: string;
}

/** What lists show of a masked key (specification 5.7). */
const SHOWN_CHARACTERS = 32;

/** API keys: made, switched and deleted. */
export function ApiKeys() {
  const { may } = useSession();
  const keys = useAction<ApiKey[]>('getAPIKeys');
  const [fresh, setFresh] = useState<{ name: string; apiKey: string }>();
  return (
    <>
      <h1>API keys</h1>
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

function CreateKey({ onCreated }: { onCreated: (created: { name: string; apiKey: string }) => void }) {
  const { isBusy, error, run } = useChange();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = new FormData(form).get('name');
    void run(async () => {
      onCreated(await act('createNewApiKey', { name }));
      form.reset();
    });
  };
  return (
    <form class="card row-form" onSubmit={submit}>
      <Field label="Name" name="name" error={error} hint="Which program uses it, and what for">
        {(control) => <input {...control} required maxLength={255} autocomplete="off" />}
      </Field>
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Creating …' : 'Create key'}
      </button>
      <Fault error={error} />
    </form>
  );
}

function KeyTable({ keys, onChange }: { keys: readonly ApiKey[]; onChange: () => void }) {
  return (
    <div class="card table-box">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Key</th>
            <th scope="col">Role</th>
            <th scope="col">Created</th>
            <th scope="col">Active</th>
            <th scope="col">
              <span class="unseen">Delete</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} onChange={onChange} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function KeyRow({ apiKey, onChange }: { apiKey: ApiKey; onChange: () => void }) {
  const { may } = useSession();
  const { isBusy, error, run } = useChange();
  const [isAsking, setAsking] = useState(false);
  const { id, name, masked_key, role_id, created_at, status } = apiKey;
  const next = status === 'ACTIVE' ? 'INACTIVE' : 'ACTIVE';
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <code>{masked_key.slice(-SHOWN_CHARACTERS)}</code>
      </td>
      <td>{role_id}</td>
      <td>
        <time dateTime={created_at}>{new Date(created_at).toLocaleDateString()}</time>
      </td>
      <td>
        <input
          type="checkbox"
          role="switch"
          aria-label={`${name} is active`}
          checked={status === 'ACTIVE'}
          disabled={isBusy || !may('api_keys.write')}
          onChange={() => void run(() => act('updateApiKeyStatus', { id, status: next })).then(onChange)}
        />
        <Fault error={error} />
      </td>
      <td>
        <button
          type="button"
          class="danger"
          aria-label={`Delete ${name}`}
          disabled={!may('api_keys.delete')}
          title={may('api_keys.delete') ? undefined : 'Your role does not permit to delete keys'}
          onClick={() => setAsking(true)}
        >
          Delete
        </button>
        {isAsking && (
          <Confirm
            title={`Delete the key “${name}”?`}
            verb="Delete key"
            work={() => act('deleteApiKey', { id })}
            onClose={() => {
              setAsking(false);
              onChange();
            }}
          >
            <p>Every program that uses it is refused from its next request on. It cannot be brought back.</p>
          </Confirm>
        )}
      </td>
    </tr>
  );
}

import type { PendingInvitation } from '../../../core/agent-resource.ts';
import { act } from '../client.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { AskFirst } from '../parts/dialog.tsx';
import { momentOfText } from '../parts/form.ts';
import { useSession } from '../session.tsx';

interface Props {
  invitations: readonly PendingInvitation[];
  onChange: () => void;
}

/** Who may still come, and until when. Nothing where nobody is awaited. */
export function Invitations({ invitations, onChange }: Props) {
  const { refusal } = useSession();
  if (invitations.length === 0) return null;
  const columns: Column<PendingInvitation>[] = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Region', cell: ({ region }) => region },
    { title: 'Good until', cell: ({ expires_at: at }) => <time dateTime={at}>{momentOfText(at)}</time> },
    {
      title: 'Actions',
      kind: 'actions',
      cell: ({ name }) => (
        <AskFirst
          label="Withdraw"
          about={name}
          isSmall
          refusal={refusal('settings.write')}
          title={`Withdraw the invitation of “${name}”?`}
          verb="Withdraw invitation"
          work={() => act('withdrawInvitation', { name })}
          onDone={onChange}
        >
          <p>The command that was made for it is refused from then on. You can invite it again.</p>
        </AskFirst>
      ),
    },
  ];
  return (
    <section>
      <h2>Invited, not yet there</h2>
      <DataTable
        label="Invitations"
        columns={columns}
        rows={invitations}
        keyOf={({ name, expires_at: at }) => `${name} ${at}`}
      />
    </section>
  );
}

import type { UserSession } from '../../../core/user.ts';
import { act } from '../client.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { AskFirst } from '../parts/dialog.tsx';
import { momentOfText } from '../parts/form.ts';
import { Shown } from '../parts/notice.tsx';
import { useAction } from '../parts/use-action.ts';

/** Where one is signed in; each of the others can be ended. */
export function Sessions() {
  const sessions = useAction<UserSession[]>('getSessions');
  const columns: Column<UserSession>[] = [
    {
      title: 'Browser',
      cell: ({ user_agent: agent, is_current: isCurrent }) => (
        <>
          {browserOf(agent)}
          {isCurrent && <span class="tag">this one</span>}
        </>
      ),
    },
    { title: 'Address', cell: ({ address }) => <code>{address}</code> },
    { title: 'Signed in', cell: ({ created_at: at }) => momentOfText(at) },
    { title: 'Last used', cell: ({ last_used_at: at }) => momentOfText(at) },
    {
      title: 'Actions',
      kind: 'actions',
      cell: ({ id, user_agent: agent, is_current: isCurrent }) =>
        !isCurrent && (
          <AskFirst
            label="End"
            about={`the session of ${browserOf(agent)}`}
            isSmall
            title="End this session?"
            verb="End session"
            work={() => act('deleteSession', { id })}
            onDone={sessions.reload}
          >
            <p>Whoever uses that browser has to sign in again.</p>
          </AskFirst>
        ),
    },
  ];
  return (
    <section>
      <h2>Where you are signed in</h2>
      <Shown of={sessions}>
        {(list) => <DataTable label="Sessions" columns={columns} rows={list} keyOf={({ id }) => id} />}
      </Shown>
    </section>
  );
}

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac', 'Linux'];

/** Browsers call themselves by many names; the first that fits is the most telling. */
function browserOf(agent: string): string {
  const browser = BROWSERS.find(([sign]) => agent.includes(sign))?.[1];
  const system = SYSTEMS.find((name) => agent.includes(name));
  if (!browser) return agent.slice(0, 60) || 'Unknown';
  return system ? `${browser} on ${system}` : browser;
}

import { useState } from 'preact/hooks';
import type { Agent, AgentInvitation, PendingInvitation } from '../../../core/agent-resource.ts';
import { momentOfText } from '../parts/form.ts';
import { Heading } from '../parts/heading.tsx';
import { Empty, Shown } from '../parts/notice.tsx';
import { Secret } from '../parts/secret.tsx';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { AgentCard } from './agent-card.tsx';
import { Invitations } from './invitations.tsx';
import { InviteAgent } from './invite-agent.tsx';

/** The agents: invited, named, refused, and how they are. */
export function Agents() {
  const { may } = useSession();
  const agents = useAction<Agent[]>('getAgents');
  const invited = useAction<PendingInvitation[]>('getInvitations');
  const [fresh, setFresh] = useState<AgentInvitation>();
  return (
    <>
      <Heading title="Agents" />
      {fresh && (
        <Secret
          title={`${fresh.name} may join ${fresh.region}`}
          text={`Run this on the host, in the folder of Farwatch, once, before ${momentOfText(fresh.expires_at)}. It is shown only now.`}
          secret={fresh.command}
          onDone={() => setFresh(undefined)}
        />
      )}
      {may('settings.write') && (
        <InviteAgent
          onInvited={(made) => {
            setFresh(made);
            invited.reload();
          }}
        />
      )}
      <Shown of={invited}>{(list) => <Invitations invitations={list} onChange={invited.reload} />}</Shown>
      <Shown of={agents}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No agents yet">
              <p>
                An agent measures from the host it runs on.{' '}
                {may('settings.write')
                  ? 'Invite the first one: it needs the name of a region.'
                  : 'Who may change settings can invite one.'}
              </p>
            </Empty>
          ) : (
            <div class="cards">
              {list.map((agent) => (
                <AgentCard key={agent.id} agent={agent} onChange={agents.reload} />
              ))}
            </div>
          )
        }
      </Shown>
    </>
  );
}

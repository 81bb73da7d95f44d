import { useState } from 'preact/hooks';
import { act } from '../client.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { valuesOf } from '../parts/form.ts';
import { Empty, Fault, Shown } from '../parts/notice.tsx';
import { Secret } from '../parts/secret.tsx';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import type { Agent } from './agent-resource.ts';

interface Invitation {
  name: string;
  region: string;
  command: string;
  expires_at: string;
}

/** The agents: invited, named, refused, and how they are. */
export function Agents() {
  const { may } = useSession();
  const agents = useAction<Agent[]>('getAgents');
  const [fresh, setFresh] = useState<Invitation>();
  return (
    <>
      <h1>Agents</h1>
      {fresh && (
        <Secret
          title={`${fresh.name} may join ${fresh.region}`}
          text={`Run this on the host, once, before ${new Date(fresh.expires_at).toLocaleString()}. It is shown only now.`}
          secret={fresh.command}
          onDone={() => setFresh(undefined)}
        />
      )}
      {may('settings.write') && (
        <Invite
          onInvited={(made) => {
            setFresh(made);
            agents.reload();
          }}
        />
      )}
      <Shown of={agents}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No agents yet">
              <p>An agent measures from its host. Invite the first one: it needs a region’s name.</p>
            </Empty>
          ) : (
            list.map((agent) => <AgentCard key={agent.id} agent={agent} onChange={agents.reload} />)
          )
        }
      </Shown>
    </>
  );
}

function Invite({ onInvited }: { onInvited: (made: Invitation) => void }) {
  const { isBusy, error, run } = useChange();
  const submit = (event: SubmitEvent): void => {
    const { region, name } = valuesOf(event);
    void run(async () => onInvited(await act('inviteAgent', { region, ...(name && { name }) })));
  };
  return (
    <form class="card grid-form" onSubmit={submit}>
      <Field label="Region" name="region" error={error} hint="For example eu; a new name makes a new region.">
        {(control) => <input {...control} required autocomplete="off" />}
      </Field>
      <Field label="Name" name="name" error={error} hint="Without: the next of the region.">
        {(control) => <input {...control} autocomplete="off" />}
      </Field>
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Inviting …' : 'Invite an agent'}
      </button>
      <Fault error={error} />
    </form>
  );
}

function AgentCard({ agent, onChange }: { agent: Agent; onChange: () => void }) {
  const { may } = useSession();
  const [isAsking, setAsking] = useState(false);
  const { name, region, version, problems, revoked_at: revokedAt } = agent;
  return (
    <section class="card stack">
      <div class="title-row">
        <h2>
          {name}
          <span class="tag">{region}</span>
          <span class="tag">{stateOf(agent)}</span>
        </h2>
        {revokedAt === null && (
          <button type="button" class="danger small" disabled={!may('settings.write')} onClick={() => setAsking(true)}>
            Revoke<span class="unseen"> {name}</span>
          </button>
        )}
      </div>
      {problems.length > 0 && (
        <ul class="fault-box">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <dl class="facts">
        {factsOf(agent, version).map(([fact, value]) => (
          <div key={fact}>
            <dt>{fact}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {isAsking && (
        <Confirm
          title={`Revoke “${name}”?`}
          verb="Revoke agent"
          work={() => act('revokeAgent', { name })}
          onClose={() => {
            setAsking(false);
            onChange();
          }}
        >
          <p>It is refused within seconds and for good; others of its region take over what it measured.</p>
        </Confirm>
      )}
    </section>
  );
}

function stateOf({ revoked_at: revokedAt, connected, last_seen: seen }: Agent): string {
  if (revokedAt !== null) return 'revoked';
  if (connected) return 'connected';
  return seen === null ? 'never seen' : 'away';
}

function factsOf(agent: Agent, version: string | null): [string, string][] {
  const { last_seen: seen, certificate_expires_at: expires, spool, monitors, clock_offset_ms: offset } = agent;
  const unknown = Object.entries(agent.unknown_last_hour).map(([reason, count]) => `${reason} ${count}`);
  return [
    ['Version', version ?? 'not known'],
    ['Last seen', seen === null ? 'never' : new Date(seen).toLocaleString()],
    ['Monitors', monitors === null ? 'not known' : String(monitors)],
    [
      'Waiting to be stored',
      spool === null ? 'not known' : `${spool.results} results, ${Math.round(spool.age_seconds)} s`,
    ],
    ['Clock', offset === null ? 'not known' : `${Math.round(offset)} ms off`],
    ['Unknown in the last hour', unknown.join(', ') || 'none'],
    ['Certificate until', expires === null ? 'none yet' : new Date(expires).toLocaleDateString()],
  ];
}

import { useState } from 'preact/hooks';
import type { Agent } from '../../../core/agent-resource.ts';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { AskFirst, Dialog } from '../parts/dialog.tsx';
import { Fact } from '../parts/facts.tsx';
import { Field } from '../parts/field.tsx';
import { momentOfText } from '../parts/form.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { useSession } from '../session.tsx';

interface Props {
  agent: Agent;
  onChange: () => void;
}

/** An agent: how it is, and what can be done with it. */
export function AgentCard({ agent, onChange }: Props) {
  const { name, region, problems } = agent;
  return (
    <section class="card stack" aria-label={name}>
      <div class="title-row">
        <h2>
          {name}
          <span class="tag">{region}</span>
        </h2>
        <State agent={agent} />
      </div>
      {problems.length > 0 && (
        <ul class="fault-box">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <dl class="facts">
        {factsOf(agent).map(([fact, value]) => (
          <Fact key={fact} name={fact}>
            {value}
          </Fact>
        ))}
      </dl>
      {agent.revoked_at === null && <Actions agent={agent} onChange={onChange} />}
    </section>
  );
}

function State({ agent: { revoked_at: revokedAt, connected, last_seen: seen } }: { agent: Agent }) {
  if (revokedAt !== null) return <StateMark status="NO_DATA">Revoked</StateMark>;
  if (connected) return <StateMark status="UP">Connected</StateMark>;
  return seen === null ? <StateMark status="NO_DATA">Never seen</StateMark> : <StateMark status="DOWN">Away</StateMark>;
}

function Actions({ agent: { name }, onChange }: Props) {
  const { refusal } = useSession();
  const [isRenamed, setRenamed] = useState(false);
  const locked = refusal('settings.write');
  const close = (): void => setRenamed(false);
  const rename = async (values: Record<string, string>): Promise<void> => {
    await act('renameAgent', { name, ...values });
    close();
    onChange();
  };
  return (
    <div class="buttons">
      <button
        type="button"
        class="quiet small"
        disabled={locked !== undefined}
        title={locked}
        onClick={() => setRenamed(true)}
      >
        Rename<span class="unseen"> {name}</span>
      </button>
      <AskFirst
        label="Revoke"
        about={name}
        isSmall
        refusal={locked}
        title={`Revoke “${name}”?`}
        verb="Revoke agent"
        work={() => act('revokeAgent', { name })}
        onDone={onChange}
      >
        <p>It is refused within seconds and for good; others of its region take over what it measured.</p>
      </AskFirst>
      {isRenamed && (
        <Dialog title={`Rename “${name}”`} onClose={close}>
          <ChangeForm verb="Rename" busy="Renaming …" work={rename} onCancel={close}>
            {(error) => (
              <Field label="New name" name="new_name" error={error}>
                {(control) => <input {...control} required maxLength={255} autocomplete="off" defaultValue={name} />}
              </Field>
            )}
          </ChangeForm>
        </Dialog>
      )}
    </div>
  );
}

function factsOf(agent: Agent): [string, string][] {
  const { version, last_seen: seen, certificate_expires_at: expires, monitors, clock_offset_ms: offset } = agent;
  const unknown = Object.entries(agent.unknown_last_hour).map(([reason, count]) => `${reason} ${count}`);
  return [
    ['Last seen', seen === null ? 'never' : momentOfText(seen)],
    ['Monitors', monitors === null ? 'not known' : String(monitors)],
    ['Waiting to be stored', waitingOf(agent)],
    ['Unknown in the last hour', unknown.join(', ') || 'none'],
    ['Clock', offset === null ? 'not known' : `${Math.round(offset)} ms off`],
    ['Version', version ?? 'not known'],
    ['Certificate until', expires === null ? 'none yet' : momentOfText(expires)],
  ];
}

function waitingOf({ spool }: Agent): string {
  if (spool === null) return 'not known';
  if (spool.results === 0) return 'nothing';
  return `${spool.results} results, the oldest ${Math.round(spool.age_seconds)}\u00a0s old`;
}

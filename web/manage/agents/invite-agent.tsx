import { useId } from 'preact/hooks';
import type { AgentInvitation, Region } from '../../../core/agent-resource.ts';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { Field, SelectField } from '../parts/field.tsx';
import { useAction } from '../parts/use-action.ts';

const LIFETIMES = [
  ['60', 'An hour'],
  ['1440', 'A day'],
  ['10080', 'A week'],
] as const;

/** Makes the command by which a host becomes an agent. */
export function InviteAgent({ onInvited }: { onInvited: (made: AgentInvitation) => void }) {
  const list = useId();
  const { result: regions = [] } = useAction<Region[]>('getRegions');
  const invite = async ({ region, name, minutes }: Record<string, string>): Promise<void> => {
    const data = { region, ...(name && { name }), minutes: Number(minutes) };
    onInvited(await act<AgentInvitation>('inviteAgent', data));
  };
  return (
    <section class="card">
      <h2>Invite an agent</h2>
      <ChangeForm verb="Invite" busy="Inviting …" work={invite} isReset>
        {(error) => (
          <div class="grid-form">
            <Field label="Region" name="region" error={error} hint="For example eu; a new name makes a new region.">
              {(control) => (
                <>
                  <input {...control} required autocomplete="off" list={list} />
                  <datalist id={list}>
                    {regions.map(({ name }) => (
                      <option key={name} value={name} />
                    ))}
                  </datalist>
                </>
              )}
            </Field>
            <Field label="Name" name="name" error={error} hint="Without: the next of the region.">
              {(control) => <input {...control} autocomplete="off" />}
            </Field>
            <SelectField label="Good for" name="minutes" error={error} options={LIFETIMES} />
          </div>
        )}
      </ChangeForm>
    </section>
  );
}

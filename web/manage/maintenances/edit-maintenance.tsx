import { useLocation, useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { act } from '../client.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { localOf, secondsOf, valuesOf } from '../parts/form.ts';
import { MonitorPicker, type Affected } from '../parts/monitor-picker.tsx';
import { Fault, Shown } from '../parts/notice.tsx';
import type { DashboardMaintenance } from '../parts/resource-types.ts';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { Events } from './events.tsx';
import { NextWindows } from './next-windows.tsx';
import { RuleBuilder } from './rule-builder.tsx';

const IMPACTS = ['MAINTENANCE', 'DEGRADED', 'DOWN', 'UP'];
const MINUTE_S = 60;
const AN_HOUR_MIN = 60;

/** Plans a maintenance. */
export function NewMaintenance() {
  const { route } = useLocation();
  return (
    <>
      <h1>Plan a maintenance</h1>
      <MaintenanceForm maintenance={null} onSaved={(id) => route(`/manage/maintenances/${id}`)} />
    </>
  );
}

/** A maintenance with its windows. */
export function EditMaintenance() {
  const { params } = useRoute();
  const { route } = useLocation();
  const { may } = useSession();
  const [isAsking, setAsking] = useState(false);
  const found = useAction<DashboardMaintenance>('getMaintenance', { id: Number(params.id) });
  return (
    <Shown of={found}>
      {(maintenance) => (
        <>
          <div class="title-row">
            <h1>{maintenance.title}</h1>
            {may('maintenances.write') && (
              <button type="button" class="danger" onClick={() => setAsking(true)}>
                Delete
              </button>
            )}
          </div>
          <Events events={maintenance.events} onChange={found.reload} />
          {may('maintenances.write') && (
            <MaintenanceForm key={maintenance.updated_at} maintenance={maintenance} onSaved={found.reload} />
          )}
          {isAsking && (
            <Confirm
              title={`Delete “${maintenance.title}”?`}
              verb="Delete maintenance"
              work={() => act('deleteMaintenance', { id: maintenance.id }).then(() => route('/manage/maintenances'))}
              onClose={() => setAsking(false)}
            >
              <p>All its windows go with it, past ones too: what they excused counts again. It cannot be undone.</p>
            </Confirm>
          )}
        </>
      )}
    </Shown>
  );
}

interface FormProps {
  maintenance: DashboardMaintenance | null;
  onSaved: (id: number) => void;
}

function MaintenanceForm({ maintenance, onSaved }: FormProps) {
  const { isBusy, error, run } = useChange();
  const [monitors, setMonitors] = useState<Affected[]>(maintenance?.monitors ?? []);
  const [rrule, setRule] = useState(maintenance?.rrule ?? 'FREQ=DAILY;COUNT=1');
  const [when, setWhen] = useState(() => whenOf(maintenance));
  const schedule = scheduleOf(when, rrule);
  const submit = (event: SubmitEvent): void => {
    const { title, description, status } = valuesOf(event);
    const fields = {
      title,
      description: description === '' ? null : description,
      ...schedule,
      monitors,
      ...(maintenance && { status: status ? 'ACTIVE' : 'INACTIVE' }),
    };
    void run(async () => {
      if (maintenance) {
        await act('updateMaintenance', { id: maintenance.id, ...fields });
        onSaved(maintenance.id);
      } else onSaved((await act<{ maintenance_id: number }>('createMaintenance', fields)).maintenance_id);
    });
  };
  return (
    <form class="card stack" onSubmit={submit}>
      <Field label="Title" name="title" error={error}>
        {(control) => <input {...control} required defaultValue={maintenance?.title} />}
      </Field>
      <Field label="Description" name="description" error={error} hint="Markdown; shown on the status pages.">
        {(control) => <textarea {...control} defaultValue={maintenance?.description ?? ''} />}
      </Field>
      <When when={when} error={error} onChange={setWhen} />
      <RuleBuilder rule={rrule} onChange={setRule} />
      {schedule && <NextWindows schedule={schedule} />}
      <MonitorPicker value={monitors} impacts={IMPACTS} onChange={setMonitors} />
      {maintenance && (
        <label>
          <input type="checkbox" role="switch" name="status" defaultChecked={maintenance.status === 'ACTIVE'} /> Active
        </label>
      )}
      <Fault error={error} />
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Saving …' : maintenance ? 'Save changes' : 'Plan it'}
      </button>
    </form>
  );
}

/** When the first window is, as the form's controls have it. */
interface When {
  start: string;
  minutes: number;
  timezone: string;
}

function whenOf(maintenance: DashboardMaintenance | null): When {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!maintenance) return { start: localOf(Math.floor(Date.now() / 1000)), minutes: AN_HOUR_MIN, timezone: own };
  const { start_date_time: start, duration_seconds: duration, timezone } = maintenance;
  return { start: localOf(start), minutes: duration / MINUTE_S, timezone: timezone ?? 'UTC' };
}

/** Null until every control says something. */
function scheduleOf({ start, minutes, timezone }: When, rrule: string) {
  const seconds = secondsOf(start);
  if (seconds === null || !(minutes > 0) || timezone === '' || rrule === '') return null;
  return { start_date_time: seconds, duration_seconds: minutes * MINUTE_S, rrule, timezone };
}

interface WhenProps {
  when: When;
  error: Error | undefined;
  onChange: (when: When) => void;
}

function When({ when, error, onChange }: WhenProps) {
  const set = (part: Partial<When>): void => onChange({ ...when, ...part });
  return (
    <div class="grid-form">
      <Field label="First window begins" name="start_date_time" error={error}>
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            required
            value={when.start}
            onInput={(event) => set({ start: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Lasts, minutes" name="duration_seconds" error={error}>
        {(control) => (
          <input
            {...control}
            type="number"
            min={1}
            required
            value={when.minutes}
            onInput={(event) => set({ minutes: event.currentTarget.valueAsNumber })}
          />
        )}
      </Field>
      <Field label="Time zone" name="timezone" error={error} hint="Windows keep their time on this zone’s clocks.">
        {(control) => (
          <input
            {...control}
            required
            value={when.timezone}
            onInput={(event) => set({ timezone: event.currentTarget.value })}
          />
        )}
      </Field>
    </div>
  );
}

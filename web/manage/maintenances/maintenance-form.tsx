import { useState } from 'preact/hooks';
import type { Schedule } from '../../../core/maintenance.ts';
import { isTimeZone } from '../../../core/time-zone.ts';
import { act } from '../client.ts';
import { MomentField, NumberField } from '../parts/bound-fields.tsx';
import { ChangeForm } from '../parts/change-form.tsx';
import { Field } from '../parts/field.tsx';
import { changedOf, localOf, OWN_ZONE, secondsOf } from '../parts/form.ts';
import { MonitorPicker, type Affected } from '../parts/monitor-picker.tsx';
import type { DashboardMaintenance } from '../parts/resource-types.ts';
import { ZoneField } from '../parts/zone-field.tsx';
import { NextWindows } from './next-windows.tsx';
import { RuleBuilder } from './rule-builder.tsx';

const IMPACTS = ['MAINTENANCE', 'DEGRADED', 'DOWN', 'UP'] as const;
const MINUTE_S = 60;
const AN_HOUR_MIN = 60;

interface FormProps {
  /** Null: a new one. */
  maintenance: DashboardMaintenance | null;
  onSaved: (id: number) => void;
}

/** Plans a maintenance, or changes its plan. */
export function MaintenanceForm({ maintenance, onSaved }: FormProps) {
  const [monitors, setMonitors] = useState<Affected[]>(maintenance?.monitors ?? []);
  const [rrule, setRule] = useState(maintenance?.rrule ?? 'FREQ=DAILY;COUNT=1');
  const [when, setWhen] = useState(() => whenOf(maintenance));
  const schedule = scheduleOf(when, rrule);
  const save = async (texts: Record<string, string>, began: Record<string, string>): Promise<void> => {
    const { title, description = '', status } = texts;
    // Where the zone is none, the server says so at its field.
    const fields = { title, description, ...(schedule ?? { timezone: when.timezone }), monitors };
    if (maintenance) {
      const changed = changedOf(
        { ...fields, status: status ? 'ACTIVE' : 'INACTIVE' },
        { ...began, ...textsOf(whenOf(maintenance)), rrule: maintenance.rrule, monitors: maintenance.monitors },
        { ...texts, ...textsOf(when), rrule, monitors },
      );
      await act('updateMaintenance', { id: maintenance.id, ...changed });
    }
    onSaved(maintenance?.id ?? (await act<{ maintenance_id: number }>('createMaintenance', fields)).maintenance_id);
  };
  return (
    <section class="card stack">
      {maintenance && <h2>Change the plan</h2>}
      <ChangeForm verb={maintenance ? 'Save changes' : 'Plan it'} busy="Saving …" work={save}>
        {(error) => (
          <>
            <Field label="Title" name="title" error={error}>
              {(control) => <input {...control} required defaultValue={maintenance?.title} />}
            </Field>
            <Field label="Description" name="description" error={error} hint="Markdown; shown on the status pages.">
              {(control) => <textarea {...control} defaultValue={maintenance?.description ?? ''} />}
            </Field>
            <WhenFields when={when} error={error} onChange={setWhen} />
            <RuleBuilder rule={rrule} onChange={setRule} />
            {schedule && <NextWindows schedule={schedule} />}
            <MonitorPicker value={monitors} impacts={IMPACTS} onChange={setMonitors} />
            {maintenance && (
              <label class="check">
                <input type="checkbox" role="switch" name="status" defaultChecked={maintenance.status === 'ACTIVE'} />{' '}
                Active; switched off, none of its windows counts
              </label>
            )}
          </>
        )}
      </ChangeForm>
    </section>
  );
}

/** When the first window is, as the form's controls have it: the start on the clocks of the zone. */
interface When {
  start: string;
  minutes: number;
  timezone: string;
}

function whenOf(maintenance: DashboardMaintenance | null): When {
  if (!maintenance) {
    const now = Math.floor(Date.now() / 1000);
    return { start: localOf(now), minutes: AN_HOUR_MIN, timezone: OWN_ZONE };
  }
  const { start_date_time: start, duration_seconds: duration, timezone } = maintenance;
  return { start: localOf(start, timezone), minutes: duration / MINUTE_S, timezone };
}

/** Another zone means another moment, whatever the clock says. */
function textsOf({ start, minutes, timezone }: When) {
  return { start_date_time: [start, timezone], duration_seconds: minutes, timezone };
}

/** Null until every control says something. */
function scheduleOf({ start, minutes, timezone }: When, rrule: string): Schedule | null {
  if (!isTimeZone(timezone) || !(minutes > 0) || rrule === '') return null;
  const seconds = secondsOf(start, timezone);
  return seconds === null
    ? null
    : { start_date_time: seconds, duration_seconds: Math.round(minutes * MINUTE_S), rrule, timezone };
}

interface WhenProps {
  when: When;
  error: Error | undefined;
  onChange: (when: When) => void;
}

function WhenFields({ when, error, onChange }: WhenProps) {
  const set = (part: Partial<When>): void => onChange({ ...when, ...part });
  return (
    <div class="grid-form">
      <MomentField
        label="First window begins"
        name="start_date_time"
        error={error}
        hint="On the clocks of the time zone."
        value={when.start}
        onChange={(start) => set({ start })}
      />
      <NumberField
        label="Lasts, minutes"
        name="duration_seconds"
        error={error}
        isFine
        value={when.minutes}
        onChange={(minutes) => set({ minutes })}
      />
      <ZoneField
        label="Time zone"
        name="timezone"
        hint="Windows keep their time on this zone’s clocks."
        error={error}
        value={when.timezone}
        onInput={(timezone) => set({ timezone })}
      />
    </div>
  );
}

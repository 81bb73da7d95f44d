import { useLocation, useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { AskFirst } from '../parts/dialog.tsx';
import { Fact } from '../parts/facts.tsx';
import { Field } from '../parts/field.tsx';
import { changedOf, localOf, momentOf, secondsOf } from '../parts/form.ts';
import { Heading } from '../parts/heading.tsx';
import { Affects, MonitorPicker, type Affected } from '../parts/monitor-picker.tsx';
import { Shown } from '../parts/notice.tsx';
import type { DashboardIncident } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { Comments } from './comments.tsx';
import { IncidentMark } from './incident-mark.tsx';

const IMPACTS = ['DOWN', 'DEGRADED', 'MAINTENANCE', 'UP'] as const;

/** Reports an incident. */
export function NewIncident() {
  const { route } = useLocation();
  return (
    <>
      <Heading title="Report an incident" />
      <IncidentForm incident={null} onSaved={(id) => route(`/manage/incidents/${id}`)} />
    </>
  );
}

/** An incident with its timeline. */
export function EditIncident() {
  const { params } = useRoute();
  const { route } = useLocation();
  const { may } = useSession();
  const found = useAction<DashboardIncident>('getIncident', { incident_id: Number(params.id) });
  return (
    <Shown of={found}>
      {(incident) => (
        <>
          <Heading title={incident.title}>
            {may('incidents.write') && (
              <AskFirst
                label="Delete"
                title={`Delete “${incident.title}”?`}
                verb="Delete incident"
                work={() => act('deleteIncident', { incident_id: incident.id })}
                onDone={() => route('/manage/incidents')}
              >
                <p>Its comments go with it, and what it lay over is counted as measured again. It cannot be undone.</p>
              </AskFirst>
            )}
          </Heading>
          <Facts incident={incident} />
          <Comments incident={incident} onChange={found.reload} />
          {may('incidents.write') && (
            <IncidentForm key={incident.updated_at} incident={incident} onSaved={found.reload} />
          )}
        </>
      )}
    </Shown>
  );
}

function Facts({ incident }: { incident: DashboardIncident }) {
  const { start_date_time: start, end_date_time: end, monitors, incident_source: source } = incident;
  return (
    <section class="card">
      <dl class="facts">
        <Fact name="State">
          <IncidentMark incident={incident} />
        </Fact>
        <Fact name="Began">{momentOf(start)}</Fact>
        <Fact name="Ended">{end === null ? 'not yet' : momentOf(end)}</Fact>
        <Fact name="Affects">
          <Affects monitors={monitors} />
        </Fact>
        <Fact name="Reported by">{source === 'API' ? 'a program' : 'hand'}</Fact>
      </dl>
    </section>
  );
}

interface FormProps {
  incident: DashboardIncident | null;
  onSaved: (id: number) => void;
}

function IncidentForm({ incident, onSaved }: FormProps) {
  const [monitors, setMonitors] = useState<Affected[]>(incident?.monitors ?? []);
  const save = async (texts: Record<string, string>, began: Record<string, string>): Promise<void> => {
    const { title, start_date_time: start, end_date_time: end } = texts;
    const fields = { title, start_date_time: secondsOf(start), end_date_time: secondsOf(end), monitors };
    if (incident) {
      const changed = changedOf(fields, { ...began, monitors: incident.monitors }, { ...texts, monitors });
      await act('updateIncident', { id: incident.id, ...changed });
    }
    onSaved(incident?.id ?? (await act<{ incident_id: number }>('createIncident', fields)).incident_id);
  };
  const now = Math.floor(Date.now() / 1000);
  return (
    <section class="card stack">
      {incident && <h2>Change the incident</h2>}
      <ChangeForm verb={incident ? 'Save changes' : 'Report it'} busy="Saving …" work={save}>
        {(error) => (
          <>
            <Field label="Title" name="title" error={error}>
              {(control) => <input {...control} required defaultValue={incident?.title} />}
            </Field>
            <div class="grid-form">
              <Field label="Began" name="start_date_time" error={error}>
                {(control) => (
                  <input
                    {...control}
                    type="datetime-local"
                    required
                    defaultValue={localOf(incident?.start_date_time ?? now)}
                  />
                )}
              </Field>
              <Field
                label="Ended"
                name="end_date_time"
                error={error}
                hint={incident ? 'Empty while it lasts; clearing it reopens.' : 'Empty while it lasts.'}
              >
                {(control) => (
                  <input
                    {...control}
                    type="datetime-local"
                    defaultValue={incident?.end_date_time ? localOf(incident.end_date_time) : ''}
                  />
                )}
              </Field>
            </div>
            <MonitorPicker value={monitors} impacts={IMPACTS} onChange={setMonitors} />
          </>
        )}
      </ChangeForm>
    </section>
  );
}

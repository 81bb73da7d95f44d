import { useLocation, useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { act } from '../client.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { localOf, secondsOf, valuesOf } from '../parts/form.ts';
import { MonitorPicker, type Affected } from '../parts/monitor-picker.tsx';
import { Fault, Shown } from '../parts/notice.tsx';
import type { DashboardIncident } from '../parts/resource-types.ts';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { Comments } from './comments.tsx';

const IMPACTS = ['DOWN', 'DEGRADED', 'MAINTENANCE', 'UP'];

/** Reports an incident. */
export function NewIncident() {
  const { route } = useLocation();
  return (
    <>
      <h1>Report an incident</h1>
      <IncidentForm incident={null} onSaved={(id) => route(`/manage/incidents/${id}`)} />
    </>
  );
}

/** An incident with its timeline. */
export function EditIncident() {
  const { params } = useRoute();
  const { route } = useLocation();
  const { may } = useSession();
  const [isAsking, setAsking] = useState(false);
  const found = useAction<DashboardIncident>('getIncident', { incident_id: Number(params.id) });
  return (
    <Shown of={found}>
      {(incident) => (
        <>
          <div class="title-row">
            <h1>{incident.title}</h1>
            {may('incidents.write') && (
              <button type="button" class="danger" onClick={() => setAsking(true)}>
                Delete
              </button>
            )}
          </div>
          <p class="quiet">
            {incident.state}, {incident.status === 'OPEN' ? 'open' : 'closed'}
          </p>
          <Comments incident={incident} onChange={found.reload} />
          {may('incidents.write') && (
            <IncidentForm key={incident.updated_at} incident={incident} onSaved={found.reload} />
          )}
          {isAsking && (
            <Confirm
              title={`Delete “${incident.title}”?`}
              verb="Delete incident"
              work={() => act('deleteIncident', { incident_id: incident.id }).then(() => route('/manage/incidents'))}
              onClose={() => setAsking(false)}
            >
              <p>Its comments go with it, and what it lay over is counted as measured again. It cannot be undone.</p>
            </Confirm>
          )}
        </>
      )}
    </Shown>
  );
}

interface FormProps {
  incident: DashboardIncident | null;
  onSaved: (id: number) => void;
}

function IncidentForm({ incident, onSaved }: FormProps) {
  const { isBusy, error, run } = useChange();
  const [monitors, setMonitors] = useState<Affected[]>(incident?.monitors ?? []);
  const submit = (event: SubmitEvent): void => {
    const { title, start, end } = valuesOf(event);
    const fields = { title, start_date_time: secondsOf(start), end_date_time: secondsOf(end), monitors };
    void run(async () => {
      if (incident) {
        await act('updateIncident', { id: incident.id, ...fields });
        onSaved(incident.id);
      } else onSaved((await act<{ incident_id: number }>('createIncident', fields)).incident_id);
    });
  };
  const now = Math.floor(Date.now() / 1000);
  return (
    <form class="card stack" onSubmit={submit}>
      <Field label="Title" name="title" error={error}>
        {(control) => <input {...control} required defaultValue={incident?.title} />}
      </Field>
      <div class="grid-form">
        <Field label="Began" name="start_date_time" error={error}>
          {(control) => (
            <input
              {...control}
              name="start"
              type="datetime-local"
              required
              defaultValue={localOf(incident?.start_date_time ?? now)}
            />
          )}
        </Field>
        <Field label="Ended" name="end_date_time" error={error} hint="Empty while it lasts; clearing it reopens.">
          {(control) => (
            <input
              {...control}
              name="end"
              type="datetime-local"
              defaultValue={incident?.end_date_time ? localOf(incident.end_date_time) : ''}
            />
          )}
        </Field>
      </div>
      <MonitorPicker value={monitors} impacts={IMPACTS} onChange={setMonitors} />
      <Fault error={error} />
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Saving …' : incident ? 'Save changes' : 'Report it'}
      </button>
    </form>
  );
}

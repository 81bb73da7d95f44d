import { useLocation, useRoute } from 'preact-iso';
import { act } from '../client.ts';
import { AskFirst } from '../parts/dialog.tsx';
import { Fact } from '../parts/facts.tsx';
import { durationOf, momentOf } from '../parts/form.ts';
import { Heading } from '../parts/heading.tsx';
import { Affects } from '../parts/monitor-picker.tsx';
import { Shown } from '../parts/notice.tsx';
import type { DashboardMaintenance } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { Events } from './events.tsx';
import { MaintenanceForm } from './maintenance-form.tsx';
import { wordsOf } from './rule-words.ts';

/** Plans a maintenance. */
export function NewMaintenance() {
  const { route } = useLocation();
  return (
    <>
      <Heading title="Plan a maintenance" />
      <MaintenanceForm maintenance={null} onSaved={(id) => route(`/manage/maintenances/${id}`)} />
    </>
  );
}

/** A maintenance with its windows. */
export function EditMaintenance() {
  const { params } = useRoute();
  const { route } = useLocation();
  const { may } = useSession();
  const found = useAction<DashboardMaintenance>('getMaintenance', { id: Number(params.id) });
  return (
    <Shown of={found}>
      {(maintenance) => (
        <>
          <Heading title={maintenance.title}>
            {may('maintenances.write') && (
              <AskFirst
                label="Delete"
                title={`Delete “${maintenance.title}”?`}
                verb="Delete maintenance"
                work={() => act('deleteMaintenance', { id: maintenance.id })}
                onDone={() => route('/manage/maintenances')}
              >
                <p>All its windows go with it, past ones too: what they excused counts again. It cannot be undone.</p>
              </AskFirst>
            )}
          </Heading>
          <Facts maintenance={maintenance} />
          <Events maintenance={maintenance} onChange={found.reload} />
          {may('maintenances.write') && (
            <MaintenanceForm key={maintenance.updated_at} maintenance={maintenance} onSaved={found.reload} />
          )}
        </>
      )}
    </Shown>
  );
}

function Facts({ maintenance }: { maintenance: DashboardMaintenance }) {
  const { rrule_text: text, timezone, duration_seconds: duration, upcoming_event: next, monitors } = maintenance;
  return (
    <section class="card stack">
      {maintenance.description && <p class="comment-text">{maintenance.description}</p>}
      <dl class="facts">
        <Fact name="Repeats">{wordsOf(text)}</Fact>
        <Fact name="Lasts">{durationOf(Math.round(duration / 60))}</Fact>
        <Fact name="Time zone">{timezone}</Fact>
        <Fact name="Next window">{next ? momentOf(next.start_date_time) : 'none lies ahead'}</Fact>
        <Fact name="Affects">
          <Affects monitors={monitors} />
        </Fact>
        <Fact name="State">{maintenance.status === 'ACTIVE' ? 'Active' : 'Switched off'}</Fact>
      </dl>
    </section>
  );
}

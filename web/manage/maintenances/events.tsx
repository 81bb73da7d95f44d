import { useState } from 'preact/hooks';
import type { EventStatus, MaintenanceEvent } from '../../../core/maintenance-event.ts';
import type { PublicStatus } from '../../../core/overall-status.ts';
import { act } from '../client.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { AskFirst } from '../parts/dialog.tsx';
import { momentOf } from '../parts/form.ts';
import type { DashboardMaintenance } from '../parts/resource-types.ts';
import { StateMark, wordOf } from '../parts/state-mark.tsx';
import { useSession } from '../session.tsx';
import { EventDialog } from './event-dialog.tsx';

const MARKS: Record<EventStatus, PublicStatus> = {
  SCHEDULED: 'NO_DATA',
  READY: 'DEGRADED',
  ONGOING: 'MAINTENANCE',
  COMPLETED: 'UP',
  CANCELLED: 'DOWN',
};

interface Props {
  maintenance: DashboardMaintenance;
  onChange: () => void;
}

/** The windows around now: each can be moved, ended, called off or deleted, and one can be added. */
export function Events({ maintenance, onChange }: Props) {
  const { may } = useSession();
  const [isAdding, setAdding] = useState(false);
  const { id, events, duration_seconds: duration } = maintenance;
  return (
    <section class="stack">
      <div class="title-row">
        <h2>Windows</h2>
        {may('maintenances.write') && (
          <button type="button" class="quiet" onClick={() => setAdding(true)}>
            Add a window
          </button>
        )}
      </div>
      {events.length === 0 ? (
        <p class="card empty">No window lies ahead.</p>
      ) : (
        <DataTable
          label="Windows"
          columns={may('maintenances.write') ? [...COLUMNS, actions(onChange)] : COLUMNS}
          rows={events}
          keyOf={(event) => event.id}
        />
      )}
      {isAdding && (
        <EventDialog
          title="Add a window"
          hint="Beside those of the rule, which stay as they are."
          start={Math.floor(Date.now() / 1000)}
          end={Math.floor(Date.now() / 1000) + duration}
          work={(times) => act('createMaintenanceEvent', { maintenance_id: id, ...times })}
          onClose={() => setAdding(false)}
          onDone={onChange}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<MaintenanceEvent>[] = [
  { title: 'Begins', cell: ({ start_date_time: start }) => momentOf(start) },
  { title: 'Ends', cell: ({ end_date_time: end }) => momentOf(end) },
  { title: 'State', cell: ({ status }) => <StateMark status={MARKS[status]}>{wordOf(status)}</StateMark> },
];

function actions(onChange: () => void): Column<MaintenanceEvent> {
  return { title: 'Actions', kind: 'actions', cell: (event) => <Actions event={event} onChange={onChange} /> };
}

function Actions({ event, onChange }: { event: MaintenanceEvent; onChange: () => void }) {
  const [isMoved, setMoved] = useState(false);
  const { id, status, start_date_time: start, end_date_time: end } = event;
  const about = `the window of ${momentOf(start)}`;
  const isOver = status === 'COMPLETED' || status === 'CANCELLED';
  const endWith = (wanted: 'COMPLETED' | 'CANCELLED') => act('updateMaintenanceEventStatus', { id, status: wanted });
  return (
    <>
      <button type="button" class="quiet small" onClick={() => setMoved(true)}>
        Move<span class="unseen"> {about}</span>
      </button>
      {status === 'ONGOING' && (
        <AskFirst
          label="End now"
          about={about}
          isSmall
          title="End this window now?"
          verb="End it"
          work={() => endWith('COMPLETED')}
          onDone={onChange}
        >
          <p>From now on what is measured counts again.</p>
        </AskFirst>
      )}
      {!isOver && (
        <AskFirst
          label="Cancel"
          about={about}
          isSmall
          title={`Call off ${about}?`}
          verb="Call it off"
          work={() => endWith('CANCELLED')}
          onDone={onChange}
        >
          <p>It stays in the list as cancelled, and does not come again. The other windows stay.</p>
        </AskFirst>
      )}
      <AskFirst
        label="Delete"
        about={about}
        isSmall
        title={`Delete ${about}?`}
        verb="Delete window"
        work={() => act('deleteMaintenanceEvent', { id })}
        onDone={onChange}
      >
        <p>It leaves the list, and what it excused counts again. It does not come again.</p>
      </AskFirst>
      {isMoved && (
        <EventDialog
          title={`Move ${about}`}
          hint="Only this one; the others keep their times."
          start={start}
          end={end}
          work={(_times, changed) => act('updateMaintenanceEvent', { id, ...changed })}
          onClose={() => setMoved(false)}
          onDone={onChange}
        />
      )}
    </>
  );
}

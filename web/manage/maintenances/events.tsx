import type { MaintenanceEvent } from '../../../core/maintenance-event.ts';
import { act } from '../client.ts';
import { momentOf } from '../parts/form.ts';
import { Fault } from '../parts/notice.tsx';
import { useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

/** The windows around now, each of which can be ended or called off. */
export function Events({ events, onChange }: { events: readonly MaintenanceEvent[]; onChange: () => void }) {
  if (events.length === 0) return <p class="card empty">No window lies ahead.</p>;
  return (
    <section class="card table-box">
      <h2>Windows</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Begins</th>
            <th scope="col">Ends</th>
            <th scope="col">State</th>
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <EventRow key={event.id} event={event} onChange={onChange} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function EventRow({ event, onChange }: { event: MaintenanceEvent; onChange: () => void }) {
  const { may } = useSession();
  const { isBusy, error, run } = useChange();
  const { id, status, start_date_time: start, end_date_time: end } = event;
  const isAhead = status === 'SCHEDULED' || status === 'READY';
  const endWith = (wanted: 'COMPLETED' | 'CANCELLED'): void =>
    void run(() => act('updateMaintenanceEventStatus', { id, status: wanted })).then(onChange);
  const isLocked = isBusy || !may('maintenances.write');
  return (
    <tr>
      <th scope="row">{momentOf(start)}</th>
      <td>{momentOf(end)}</td>
      <td>
        {status}
        <Fault error={error} />
      </td>
      <td class="buttons">
        {status === 'ONGOING' && (
          <button type="button" class="quiet small" disabled={isLocked} onClick={() => endWith('COMPLETED')}>
            End now
          </button>
        )}
        {(isAhead || status === 'ONGOING') && (
          <button type="button" class="danger small" disabled={isLocked} onClick={() => endWith('CANCELLED')}>
            Cancel<span class="unseen"> the window of {momentOf(start)}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

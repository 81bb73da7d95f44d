import { useState } from 'preact/hooks';
import { momentOf } from '../parts/form.ts';
import { Empty, Shown } from '../parts/notice.tsx';
import { Pager } from '../parts/pager.tsx';
import type { DashboardMaintenance } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { recurrenceOf, wordsOf } from './rule.ts';

const LIMIT = 20;

/** All maintenances, newest first. */
export function Maintenances() {
  const { may } = useSession();
  const [page, setPage] = useState(1);
  const maintenances = useAction<{ maintenances: DashboardMaintenance[]; total: number }>('getMaintenances', {
    page,
    limit: LIMIT,
  });
  return (
    <>
      <div class="title-row">
        <h1>Maintenances</h1>
        {may('maintenances.write') && (
          <a class="button" href="/manage/maintenances/new">
            Plan a maintenance
          </a>
        )}
      </div>
      <Shown of={maintenances}>
        {({ maintenances: list, total }) =>
          list.length === 0 ? (
            <Empty title="No maintenances">
              <p>Announce work ahead of time: what is planned does not count as downtime.</p>
            </Empty>
          ) : (
            <>
              <div class="card table-box">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">Title</th>
                      <th scope="col">Repeats</th>
                      <th scope="col">Next</th>
                      <th scope="col">State</th>
                      <th scope="col">Affects</th>
                    </tr>
                  </thead>
                  <tbody>
                    {list.map((maintenance) => (
                      <MaintenanceRow key={maintenance.id} maintenance={maintenance} />
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} total={total} limit={LIMIT} onTurn={setPage} />
            </>
          )
        }
      </Shown>
    </>
  );
}

function MaintenanceRow({ maintenance }: { maintenance: DashboardMaintenance }) {
  const { id, title, rrule, upcoming_event: next, status, monitors } = maintenance;
  const recurrence = recurrenceOf(rrule);
  return (
    <tr>
      <th scope="row">
        <a href={`/manage/maintenances/${id}`}>{title}</a>
      </th>
      <td>{recurrence ? wordsOf(recurrence) : <code>{rrule}</code>}</td>
      <td>{next ? momentOf(next.start_date_time) : 'none'}</td>
      <td>{status === 'ACTIVE' ? (next?.status ?? 'over') : 'switched off'}</td>
      <td>{monitors.map(({ monitor_tag }) => monitor_tag).join(', ') || 'every page'}</td>
    </tr>
  );
}

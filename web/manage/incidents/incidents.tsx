import { useState } from 'preact/hooks';
import { Empty, Shown } from '../parts/notice.tsx';
import { momentOf } from '../parts/form.ts';
import { Pager } from '../parts/pager.tsx';
import type { DashboardIncident } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

const LIMIT = 20;

/** All incidents, newest first. */
export function Incidents() {
  const { may } = useSession();
  const [page, setPage] = useState(1);
  const [status, setStatus] = useState('');
  const filter = status === '' ? {} : { filter: { status } };
  const incidents = useAction<{ incidents: DashboardIncident[]; total: number }>('getIncidents', {
    page,
    limit: LIMIT,
    ...filter,
  });
  return (
    <>
      <div class="title-row">
        <h1>Incidents</h1>
        {may('incidents.write') && (
          <a class="button" href="/manage/incidents/new">
            Report an incident
          </a>
        )}
      </div>
      <form class="filters">
        <label>
          State{' '}
          <select
            value={status}
            onChange={(event) => {
              setStatus(event.currentTarget.value);
              setPage(1);
            }}
          >
            <option value="">All</option>
            <option value="OPEN">Open</option>
            <option value="CLOSED">Closed</option>
          </select>
        </label>
      </form>
      <Shown of={incidents}>
        {({ incidents: list, total }) =>
          list.length === 0 ? (
            <Empty title="No incidents">
              <p>When something breaks, tell the visitors of the status pages here.</p>
            </Empty>
          ) : (
            <>
              <div class="card table-box">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">Title</th>
                      <th scope="col">State</th>
                      <th scope="col">Began</th>
                      <th scope="col">Ended</th>
                      <th scope="col">Affects</th>
                    </tr>
                  </thead>
                  <tbody>
                    {list.map((incident) => (
                      <tr key={incident.id}>
                        <th scope="row">
                          <a href={`/manage/incidents/${incident.id}`}>{incident.title}</a>
                        </th>
                        <td>{incident.state}</td>
                        <td>{momentOf(incident.start_date_time)}</td>
                        <td>{incident.end_date_time === null ? 'open' : momentOf(incident.end_date_time)}</td>
                        <td>{incident.monitors.map(({ monitor_tag }) => monitor_tag).join(', ') || 'every page'}</td>
                      </tr>
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

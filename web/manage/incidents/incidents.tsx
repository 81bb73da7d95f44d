import { DataTable, type Column } from '../parts/data-table.tsx';
import { Choice } from '../parts/field.tsx';
import { momentOf } from '../parts/form.ts';
import { Heading } from '../parts/heading.tsx';
import { Empty, Shown } from '../parts/notice.tsx';
import { Pager } from '../parts/pager.tsx';
import type { DashboardIncident } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';
import { useFilters } from '../parts/use-filters.ts';
import { useSession } from '../session.tsx';
import { IncidentMark } from './incident-mark.tsx';

const LIMIT = 20;
const COLUMNS: readonly Column<DashboardIncident>[] = [
  { title: 'Title', cell: ({ id, title }) => <a href={`/manage/incidents/${id}`}>{title}</a> },
  { title: 'State', cell: (incident) => <IncidentMark incident={incident} /> },
  { title: 'Began', cell: ({ start_date_time }) => momentOf(start_date_time) },
  {
    title: 'Ended',
    cell: ({ end_date_time: end }) => (end === null ? <span class="quiet">not yet</span> : momentOf(end)),
  },
  {
    title: 'Affects',
    cell: ({ monitors }) => monitors.map(({ monitor_tag }) => monitor_tag).join(', ') || 'every page',
  },
];

/** All incidents, newest first. */
export function Incidents() {
  const { may } = useSession();
  const [{ status, page }, setFilters] = useFilters(['status', 'page']);
  const number = Number(page) || 1;
  const incidents = useAction<{ incidents: DashboardIncident[]; total: number }>('getIncidents', {
    page: number,
    limit: LIMIT,
    ...(status !== '' && { filter: { status } }),
  });
  return (
    <>
      <Heading title="Incidents">
        {may('incidents.write') && (
          <a class="button" href="/manage/incidents/new">
            Report an incident
          </a>
        )}
      </Heading>
      <form class="filters">
        <Choice
          label="State"
          value={status}
          options={[
            ['', 'All'],
            ['OPEN', 'Open'],
            ['CLOSED', 'Closed'],
          ]}
          onChange={(next) => setFilters({ status: next, page: '' })}
        />
      </form>
      <Shown of={incidents}>
        {({ incidents: list, total }) =>
          list.length === 0 ? (
            <Empty title={status === '' ? 'No incidents' : 'None of this state'}>
              <p>When something breaks, tell the visitors of the status pages here.</p>
              {may('incidents.write') && (
                <a class="button" href="/manage/incidents/new">
                  Report the first one
                </a>
              )}
            </Empty>
          ) : (
            <>
              <DataTable label="Incidents" columns={COLUMNS} rows={list} keyOf={({ id }) => id} />
              <Pager page={number} total={total} limit={LIMIT} onTurn={(next) => setFilters({ page: String(next) })} />
            </>
          )
        }
      </Shown>
    </>
  );
}

import { DataTable, type Column } from '../parts/data-table.tsx';
import { momentOf } from '../parts/form.ts';
import { Heading } from '../parts/heading.tsx';
import { Empty, Shown } from '../parts/notice.tsx';
import { Pager } from '../parts/pager.tsx';
import type { DashboardMaintenance } from '../parts/resource-types.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { useAction } from '../parts/use-action.ts';
import { useFilters } from '../parts/use-filters.ts';
import { useSession } from '../session.tsx';
import { wordsOf } from './rule-words.ts';

const LIMIT = 20;
const COLUMNS: readonly Column<DashboardMaintenance>[] = [
  { title: 'Title', cell: ({ id, title }) => <a href={`/manage/maintenances/${id}`}>{title}</a> },
  { title: 'Repeats', cell: ({ rrule_text: text }) => wordsOf(text) },
  {
    title: 'Next window',
    cell: ({ upcoming_event: next }) =>
      next ? momentOf(next.start_date_time) : <span class="quiet">none lies ahead</span>,
  },
  { title: 'State', cell: (maintenance) => <MaintenanceMark maintenance={maintenance} /> },
  {
    title: 'Affects',
    cell: ({ monitors }) => monitors.map(({ monitor_tag }) => monitor_tag).join(', ') || 'every page',
  },
];

/** All maintenances, newest first. */
export function Maintenances() {
  const { may } = useSession();
  const [{ page }, setFilters] = useFilters(['page']);
  const number = Number(page) || 1;
  const maintenances = useAction<{ maintenances: DashboardMaintenance[]; total: number }>('getMaintenances', {
    page: number,
    limit: LIMIT,
  });
  return (
    <>
      <Heading title="Maintenances">
        {may('maintenances.write') && (
          <a class="button" href="/manage/maintenances/new">
            Plan a maintenance
          </a>
        )}
      </Heading>
      <Shown of={maintenances}>
        {({ maintenances: list, total }) =>
          list.length === 0 ? (
            <Empty title="No maintenances">
              <p>Announce work ahead of time: what is planned does not count as downtime.</p>
              {may('maintenances.write') && (
                <a class="button" href="/manage/maintenances/new">
                  Plan the first one
                </a>
              )}
            </Empty>
          ) : (
            <>
              <DataTable label="Maintenances" columns={COLUMNS} rows={list} keyOf={({ id }) => id} />
              <Pager page={number} total={total} limit={LIMIT} onTurn={(next) => setFilters({ page: String(next) })} />
            </>
          )
        }
      </Shown>
    </>
  );
}

function MaintenanceMark({ maintenance: { status, upcoming_event: next } }: { maintenance: DashboardMaintenance }) {
  if (status === 'INACTIVE') return <StateMark status="NO_DATA">Switched off</StateMark>;
  if (next?.status === 'ONGOING') return <StateMark status="MAINTENANCE">Ongoing</StateMark>;
  return next ? <StateMark status="UP">Planned</StateMark> : <StateMark status="NO_DATA">Over</StateMark>;
}

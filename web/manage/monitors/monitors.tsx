import { useEffect, useState } from 'preact/hooks';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { Choice } from '../parts/field.tsx';
import { latencyOf } from '../parts/form.ts';
import { Heading } from '../parts/heading.tsx';
import { Empty, Shown } from '../parts/notice.tsx';
import { Pager } from '../parts/pager.tsx';
import type { DashboardMonitor } from '../parts/resource-types.ts';
import { StateMark, STATE_CHOICES } from '../parts/state-mark.tsx';
import { useAction } from '../parts/use-action.ts';
import { useFilters } from '../parts/use-filters.ts';
import { useSettled } from '../parts/use-settled.ts';
import { useSession } from '../session.tsx';
import { CloneMonitor } from './clone-monitor.tsx';
import { DeleteMonitor } from './delete-monitor.tsx';
import { NEW_MONITOR, viewOf } from './monitor-paths.ts';
import { ActiveSwitch, PublicSwitch } from './monitor-switches.tsx';

const LIMIT = 50;
const FILTERS = ['search', 'current', 'monitor_type', 'status', 'is_hidden', 'page'] as const;
const TYPES = ['PING', 'TCP', 'DNS', 'API', 'SSL', 'SQL', 'GRPC', 'HEARTBEAT', 'GROUP', 'NONE'];

interface Found {
  monitors: DashboardMonitor[];
  total: number;
}

/** All monitors: found by what is typed, paused and resumed, hidden, cloned and deleted. */
export function Monitors() {
  const { may } = useSession();
  const [{ page, ...filters }, setFilters] = useFilters(FILTERS);
  const isFiltered = Object.values(filters).some((text) => text !== '');
  const given = Object.entries(filters).filter(([, text]) => text !== '');
  const number = Number(page) || 1;
  const found = useAction<Found>('getMonitorsPaginated', { ...Object.fromEntries(given), page: number, limit: LIMIT });
  return (
    <>
      <Heading title="Monitors">{may('monitors.write') && <NewMonitorLink>New monitor</NewMonitorLink>}</Heading>
      <Filters filters={filters} onChange={(part) => setFilters({ page: '', ...part })} />
      <Shown of={found}>
        {({ monitors, total }) =>
          total === 0 && !isFiltered ? (
            <Empty title="Nothing is watched yet">
              <p>A monitor is a target that every region checks once a minute.</p>
              {may('monitors.write') && <NewMonitorLink>Make the first monitor</NewMonitorLink>}
            </Empty>
          ) : (
            <>
              <p class="quiet" role="status">
                {total === 1 ? '1 monitor' : `${total} monitors`}
              </p>
              {total === 0 ? (
                <Empty title="Nothing matches">
                  <button type="button" class="quiet" onClick={() => setFilters(NO_FILTERS)}>
                    Show all monitors
                  </button>
                </Empty>
              ) : (
                <MonitorTable monitors={monitors} onChange={found.reload} />
              )}
              <Pager page={number} total={total} limit={LIMIT} onTurn={(next) => setFilters({ page: String(next) })} />
            </>
          )
        }
      </Shown>
    </>
  );
}

const NO_FILTERS = { search: '', current: '', monitor_type: '', status: '', is_hidden: '', page: '' };

function NewMonitorLink({ children }: { children: string }) {
  return (
    <a class="button" href={NEW_MONITOR}>
      {children}
    </a>
  );
}

type FilterValues = Record<Exclude<(typeof FILTERS)[number], 'page'>, string>;

function Filters({ filters, onChange }: { filters: FilterValues; onChange: (part: Partial<FilterValues>) => void }) {
  const [text, setText] = useState(filters.search);
  const settled = useSettled(text);
  useEffect(() => {
    if (settled !== filters.search) onChange({ search: settled });
  }, [settled]);
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="wide">
        <span>Search</span>
        <input
          type="search"
          placeholder="Name or tag"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Choice
        label="Now"
        value={filters.current}
        options={[['', 'All'], ...STATE_CHOICES]}
        onChange={(current) => onChange({ current })}
      />
      <Choice
        label="Type"
        value={filters.monitor_type}
        options={[['', 'All'], ...TYPES.map((type) => [type, type] as const)]}
        onChange={(monitor_type) => onChange({ monitor_type })}
      />
      <Choice
        label="Active"
        value={filters.status}
        options={[
          ['', 'All'],
          ['ACTIVE', 'Active'],
          ['INACTIVE', 'Paused'],
        ]}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label="Public"
        value={filters.is_hidden}
        options={[
          ['', 'All'],
          ['NO', 'Public'],
          ['YES', 'Hidden'],
        ]}
        onChange={(is_hidden) => onChange({ is_hidden })}
      />
    </form>
  );
}

function MonitorTable({ monitors, onChange }: { monitors: readonly DashboardMonitor[]; onChange: () => void }) {
  const columns: Column<DashboardMonitor>[] = [
    {
      title: 'Name',
      cell: ({ tag, name }) => (
        <>
          <a href={viewOf(tag)}>{name}</a>
          <code class="beneath">{tag}</code>
        </>
      ),
    },
    { title: 'Type', cell: ({ monitor_type }) => monitor_type },
    {
      title: 'Now',
      cell: ({ status, current }) =>
        status === 'ACTIVE' ? <StateMark status={current.status} /> : <span class="quiet">Paused</span>,
    },
    {
      title: 'Latency',
      kind: 'number',
      cell: ({ current }) => latencyOf(current.latency),
    },
    { title: 'Active', cell: (monitor) => <ActiveSwitch monitor={monitor} onDone={onChange} /> },
    { title: 'Public', cell: (monitor) => <PublicSwitch monitor={monitor} onDone={onChange} /> },
    {
      title: 'Actions',
      kind: 'actions',
      cell: (monitor) => (
        <>
          <CloneMonitor source={monitor} isSmall />
          <DeleteMonitor monitor={monitor} isSmall onDone={onChange} />
        </>
      ),
    },
  ];
  return <DataTable label="Monitors" columns={columns} rows={monitors} keyOf={({ id }) => id} />;
}

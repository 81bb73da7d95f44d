import { useEffect } from 'preact/hooks';
import type { Region } from '../../core/agent-resource.ts';
import type { DashboardOverview } from '../../core/dashboard-overview.ts';
import type { PublicStatus } from '../../core/overall-status.ts';
import { NEW_MONITOR, viewOf } from './monitors/monitor-paths.ts';
import { DataTable, type Column } from './parts/data-table.tsx';
import { momentOf } from './parts/form.ts';
import { Heading } from './parts/heading.tsx';
import { Empty, Shown } from './parts/notice.tsx';
import type { DashboardIncident, DashboardMaintenance } from './parts/resource-types.ts';
import { StateMark, wordOf } from './parts/state-mark.tsx';
import { useAction } from './parts/use-action.ts';
import { useSession } from './session.tsx';

const EVERY_MS = 30_000;

/** How everything is, at one look: what is wrong first. */
export function Overview() {
  const { may } = useSession();
  return (
    <>
      <Heading title="Overview" />
      {may('monitors.read') && <Now />}
      <div class="columns">
        {may('incidents.read') && <OpenIncidents />}
        {may('maintenances.read') && <NextMaintenances />}
      </div>
    </>
  );
}

function Now() {
  const overall = useAction<DashboardOverview>('getDashboardOverview');
  const { may } = useSession();
  const { reload, result, error } = overall;
  useEffect(() => {
    const timer = window.setTimeout(reload, EVERY_MS);
    return () => window.clearTimeout(timer);
  }, [result, error, reload]);
  return (
    <Shown of={overall}>
      {({ monitors, troubles, agents, regions }) => (
        <>
          {monitors.total === 0 ? (
            <Empty title="Nothing is watched yet">
              <p>A monitor is a target that every region checks once a minute.</p>
              {may('monitors.write') && (
                <a class="button" href={NEW_MONITOR}>
                  Make the first monitor
                </a>
              )}
            </Empty>
          ) : (
            <>
              <Figures monitors={monitors} agents={agents} />
              <Troubles troubles={troubles} />
            </>
          )}
          {agents.total === 0 && (
            <Empty title="Nobody measures yet">
              <p>An agent measures from the host it runs on.</p>
              <a class="button" href="/manage/agents">
                {may('settings.write') ? 'Invite the first agent' : 'See the agents'}
              </a>
            </Empty>
          )}
          {regions.length > 0 && <Regions regions={regions} />}
        </>
      )}
    </Shown>
  );
}

function Figures({ monitors, agents }: Pick<DashboardOverview, 'monitors' | 'agents'>) {
  const { UP, ...others } = monitors.by_status;
  return (
    <ul class="figures">
      <Figure href={foundBy('UP')} name="Up" value={`${UP} of ${monitors.active}`} tone="up" />
      {OTHERS.map(([status, name, tone]) => (
        <Figure
          key={status}
          href={foundBy(status)}
          name={name}
          value={others[status]}
          tone={others[status] > 0 ? tone : undefined}
        />
      ))}
      <Figure
        href="/manage/agents"
        name={agents.problems > 0 ? `Agents, ${agents.problems} with problems` : 'Agents connected'}
        value={`${agents.connected} of ${agents.total}`}
        tone={agents.connected < agents.total || agents.problems > 0 ? 'degraded' : 'up'}
      />
    </ul>
  );
}

const OTHERS = [
  ['DOWN', 'Down', 'down'],
  ['DEGRADED', 'Degraded', 'degraded'],
  ['MAINTENANCE', 'Maintenance', 'maintenance'],
  ['NO_DATA', 'Without data', 'no-data'],
] as const;

/** The list of the monitors that are so. */
function foundBy(status: PublicStatus): string {
  return `/manage/monitors?current=${status}`;
}

interface FigureProps {
  href: string;
  name: string;
  value: string | number;
  /** None: there is nothing to see. */
  tone: 'up' | (typeof OTHERS)[number][2] | undefined;
}

function Figure({ href, name, value, tone }: FigureProps) {
  return (
    <li>
      <a class={tone ? `card figure tone-${tone}` : 'card figure'} href={href}>
        <span class="quiet">{name}</span>
        <strong>{value}</strong>
      </a>
    </li>
  );
}

function Troubles({ troubles }: Pick<DashboardOverview, 'troubles'>) {
  return (
    <section class="card">
      <h2>What is wrong</h2>
      {troubles.length === 0 && <p class="empty">Nothing: every monitor that is active is up.</p>}
      <ul class="rows">
        {troubles.map(({ tag, name, status, timestamp }) => (
          <li key={tag}>
            <StateMark status={status} />
            <a href={viewOf(tag)}>{name}</a>
            <span class="quiet">{timestamp === null ? 'never measured' : `measured ${momentOf(timestamp)}`}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const REGION_COLUMNS: readonly Column<Region>[] = [
  { title: 'Region', cell: ({ name }) => name },
  {
    title: 'Agents',
    cell: ({ connected_agents: connected, agents }) => (
      <StateMark status={stateOf(connected, agents)}>
        {connected} of {agents} connected
      </StateMark>
    ),
  },
  { title: 'Minutes due', kind: 'number', cell: ({ minutes }) => minutes.due },
  { title: 'Measured', kind: 'number', cell: ({ minutes }) => minutes.known },
  { title: 'Unknown', kind: 'number', cell: ({ minutes }) => minutes.unknown },
  { title: 'Absent', kind: 'number', cell: ({ minutes }) => minutes.absent },
  { title: 'Missing', kind: 'number', cell: ({ minutes }) => minutes.missing },
];

function stateOf(connected: number, agents: number) {
  if (agents === 0) return 'NO_DATA';
  if (connected === 0) return 'DOWN';
  return connected < agents ? 'DEGRADED' : 'UP';
}

function Regions({ regions }: { regions: readonly Region[] }) {
  return (
    <section>
      <h2>Regions, the last 24 hours</h2>
      <DataTable label="Regions" columns={REGION_COLUMNS} rows={regions} keyOf={({ id }) => id} />
    </section>
  );
}

function OpenIncidents() {
  const open = useAction<{ incidents: DashboardIncident[] }>('getIncidents', { filter: { status: 'OPEN' } });
  return (
    <section class="card">
      <h2>Open incidents</h2>
      <Shown of={open}>
        {({ incidents }) =>
          incidents.length === 0 ? (
            <p class="empty">None.</p>
          ) : (
            <ul class="rows">
              {incidents.map(({ id, title, state, start_date_time }) => (
                <li key={id}>
                  <a href={`/manage/incidents/${id}`}>{title}</a>
                  <span class="quiet">
                    {wordOf(state)}, since {momentOf(start_date_time)}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

function NextMaintenances() {
  const planned = useAction<{ maintenances: DashboardMaintenance[] }>('getMaintenances', {
    filter: { status: 'ACTIVE' },
  });
  return (
    <section class="card">
      <h2>Maintenances ahead</h2>
      <Shown of={planned}>
        {({ maintenances }) => {
          const ahead = maintenances.filter(({ upcoming_event }) => upcoming_event !== null);
          if (ahead.length === 0) return <p class="empty">None.</p>;
          return (
            <ul class="rows">
              {ahead.map(({ id, title, upcoming_event: next }) => (
                <li key={id}>
                  <a href={`/manage/maintenances/${id}`}>{title}</a>
                  <span class="quiet">{next && momentOf(next.start_date_time)}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Shown>
    </section>
  );
}

import { useEffect } from 'preact/hooks';
import type { PublicStatus } from '../../core/overall-status.ts';
import type { Region } from './agents/agent-resource.ts';
import { momentOf } from './parts/form.ts';
import { Empty, Shown } from './parts/notice.tsx';
import type { DashboardIncident, DashboardMaintenance } from './parts/resource-types.ts';
import { useAction } from './parts/use-action.ts';
import { useSession } from './session.tsx';

interface Overall {
  monitors: { total: number; active: number; hidden: number; by_status: Record<PublicStatus, number> };
  troubles: { tag: string; name: string; status: PublicStatus; timestamp: number | null }[];
  agents: { total: number; connected: number; problems: number };
  regions: Region[];
}

const EVERY_MS = 30_000;

/** How everything is, at one look: what is wrong first. */
export function Overview() {
  const { may } = useSession();
  return (
    <>
      <h1>Overview</h1>
      {may('monitors.read') && <Now />}
      {may('incidents.read') && <OpenIncidents />}
      {may('maintenances.read') && <NextMaintenances />}
    </>
  );
}

function Now() {
  const overall = useAction<Overall>('getDashboardOverview');
  const { reload, result } = overall;
  useEffect(() => {
    const timer = window.setTimeout(reload, EVERY_MS);
    return () => window.clearTimeout(timer);
  }, [result, reload]);
  return (
    <Shown of={overall}>
      {({ monitors, troubles, agents, regions }) =>
        monitors.total === 0 ? (
          <Empty title="Nothing is watched yet">
            <a class="button" href="/manage/monitors/new">
              Make the first monitor
            </a>
          </Empty>
        ) : (
          <>
            <ul class="figures">
              <Figure href="/manage/monitors" name="Monitors" value={monitors.active} of={monitors.total} />
              <Figure href="/manage/monitors" name="Down" value={monitors.by_status.DOWN} />
              <Figure href="/manage/monitors" name="Degraded" value={monitors.by_status.DEGRADED} />
              <Figure href="/manage/monitors" name="Without data" value={monitors.by_status.NO_DATA} />
              <Figure href="/manage/agents" name="Agents connected" value={agents.connected} of={agents.total} />
            </ul>
            <Troubles troubles={troubles} />
            {regions.length > 0 && <Regions regions={regions} />}
          </>
        )
      }
    </Shown>
  );
}

function Figure({ href, name, value, of }: { href: string; name: string; value: number; of?: number }) {
  return (
    <li>
      <a class="card figure" href={href}>
        <span class="quiet">{name}</span>
        <strong>{of === undefined ? value : `${value} of ${of}`}</strong>
      </a>
    </li>
  );
}

function Troubles({ troubles }: { troubles: Overall['troubles'] }) {
  return (
    <section class="card">
      <h2>What is wrong</h2>
      {troubles.length === 0 && <p class="empty">Nothing.</p>}
      <ul>
        {troubles.map(({ tag, name, status, timestamp }) => (
          <li key={tag}>
            <strong>{name}</strong> {status.toLowerCase().replace('_', ' ')}
            {timestamp !== null && `, last measured ${momentOf(timestamp)}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Regions({ regions }: { regions: readonly Region[] }) {
  return (
    <section class="card table-box">
      <h2>Regions, the last 24 hours</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Region</th>
            <th scope="col">Agents</th>
            <th scope="col">Minutes due</th>
            <th scope="col">Measured</th>
            <th scope="col">Unknown</th>
            <th scope="col">Missing</th>
          </tr>
        </thead>
        <tbody>
          {regions.map(({ id, name, connected_agents: connected, agents, minutes }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>
                {connected} of {agents}
              </td>
              <td>{minutes.due}</td>
              <td>{minutes.known}</td>
              <td>{minutes.unknown}</td>
              <td>{minutes.missing}</td>
            </tr>
          ))}
        </tbody>
      </table>
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
            <ul>
              {incidents.map(({ id, title, state, start_date_time }) => (
                <li key={id}>
                  <a href={`/manage/incidents/${id}`}>{title}</a> {state}, since {momentOf(start_date_time)}
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
            <ul>
              {ahead.map(({ id, title, upcoming_event: next }) => (
                <li key={id}>
                  <a href={`/manage/maintenances/${id}`}>{title}</a> {next && momentOf(next.start_date_time)}
                </li>
              ))}
            </ul>
          );
        }}
      </Shown>
    </section>
  );
}

import { useEffect, useState } from 'preact/hooks';
import type { PublicStatus } from '../../core/overall-status.ts';
import { send } from './client.ts';
import { momentOf } from './parts/form.ts';
import { Empty, Shown } from './parts/notice.tsx';
import type { DashboardIncident, DashboardMaintenance, DashboardMonitor } from './parts/resource-types.ts';
import { useAction } from './parts/use-action.ts';
import { useSession } from './session.tsx';

interface Status {
  status: PublicStatus;
  text: string;
  monitors: { tag: string; name: string; status: PublicStatus; latency: number | null; timestamp: number | null }[];
}

const EVERY_MS = 30_000;
const TROUBLES: readonly PublicStatus[] = ['DOWN', 'DEGRADED', 'MAINTENANCE', 'NO_DATA'];

/** How everything is, at one look: what is wrong first. */
export function Overview() {
  const { may } = useSession();
  const [status, setStatus] = useState<Status>();
  useEffect(() => {
    let timer: number;
    const ask = (): void => {
      // What was seen last stays until the service answers again.
      void send<Status>('GET', '/api/v4/status').then(setStatus, () => undefined);
      timer = window.setTimeout(ask, EVERY_MS);
    };
    ask();
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <>
      <h1>Overview</h1>
      {status && <Now status={status} />}
      {may('monitors.read') && <Watched />}
      {may('incidents.read') && <OpenIncidents />}
      {may('maintenances.read') && <NextMaintenances />}
    </>
  );
}

function Now({ status: { status, text, monitors } }: { status: Status }) {
  const wrong = monitors.filter((monitor) => TROUBLES.includes(monitor.status));
  return (
    <section class={`overall tone-${status.toLowerCase().replace('_', '-')}`} aria-label="Current state">
      <span />
      <div>
        <p class="overall-text">{text}</p>
        <ul class="quiet">
          {wrong.slice(0, 20).map(({ tag, name, status: one, timestamp }) => (
            <li key={tag}>
              <a href={`/monitors/${tag}`} target="_self">
                {name}
              </a>
              {`: ${one.toLowerCase().replace('_', ' ')}`}
              {timestamp !== null && `, last measured ${momentOf(timestamp)}`}
            </li>
          ))}
        </ul>
      </div>
      <p class="overall-time">{monitors.length === 1 ? '1 public monitor' : `${monitors.length} public monitors`}</p>
    </section>
  );
}

function Watched() {
  const monitors = useAction<DashboardMonitor[]>('getMonitors');
  return (
    <Shown of={monitors}>
      {(list) =>
        list.length === 0 ? (
          <Empty title="Nothing is watched yet">
            <a class="button" href="/manage/monitors/new">
              Make the first monitor
            </a>
          </Empty>
        ) : (
          <p>
            <a href="/manage/monitors">{list.length} monitors</a>,{' '}
            {list.filter(({ status }) => status === 'ACTIVE').length} active
          </p>
        )
      }
    </Shown>
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

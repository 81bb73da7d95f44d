import { useLocation } from 'preact-iso';
import { useMemo, useState } from 'preact/hooks';
import { act } from '../client.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Empty, Fault, Shown } from '../parts/notice.tsx';
import type { DashboardMonitor } from '../parts/resource-types.ts';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { CloneMonitor } from './clone-monitor.tsx';

/** More rows than a person reads only slow the browser down: a search leads to the rest. */
const MAX_ROWS = 200;

/** All monitors: found by what is typed, paused and resumed, hidden, cloned and deleted. */
export function Monitors() {
  const { may } = useSession();
  const monitors = useAction<DashboardMonitor[]>('getMonitors');
  return (
    <>
      <div class="title-row">
        <h1>Monitors</h1>
        {may('monitors.write') && (
          <a class="button" href="/manage/monitors/new">
            New monitor
          </a>
        )}
      </div>
      <Shown of={monitors}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="Nothing is watched yet">
              <p>A monitor is a target that every region checks once a minute.</p>
              {may('monitors.write') && (
                <a class="button" href="/manage/monitors/new">
                  Make the first monitor
                </a>
              )}
            </Empty>
          ) : (
            <MonitorList monitors={list} onChange={monitors.reload} />
          )
        }
      </Shown>
    </>
  );
}

function MonitorList({ monitors, onChange }: { monitors: readonly DashboardMonitor[]; onChange: () => void }) {
  const [text, setText] = useState('');
  const [type, setType] = useState('');
  const [status, setStatus] = useState('');
  const types = useMemo(() => [...new Set(monitors.map(({ monitor_type }) => monitor_type))].sort(), [monitors]);
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return monitors.filter(
      (monitor) =>
        (type === '' || monitor.monitor_type === type) &&
        (status === '' || (monitor.status ?? 'INACTIVE') === status) &&
        [monitor.tag, monitor.name, monitor.category_name ?? ''].some((part) => part.toLowerCase().includes(wanted)),
    );
  }, [monitors, text, type, status]);
  return (
    <>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          Search <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label>
          Type{' '}
          <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
            <option value="">All</option>
            {types.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          State{' '}
          <select value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
            <option value="">All</option>
            <option value="ACTIVE">Active</option>
            <option value="INACTIVE">Paused</option>
          </select>
        </label>
      </form>
      <p class="quiet" role="status">
        {found.length === 1 ? '1 monitor' : `${found.length} monitors`}
        {found.length > MAX_ROWS && `, the newest ${MAX_ROWS} are shown`}
      </p>
      <div class="card table-box">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Tag</th>
              <th scope="col">Type</th>
              <th scope="col">Active</th>
              <th scope="col">Public</th>
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, MAX_ROWS).map((monitor) => (
              <MonitorRow key={monitor.id} monitor={monitor} onChange={onChange} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function MonitorRow({ monitor, onChange }: { monitor: DashboardMonitor; onChange: () => void }) {
  const { may } = useSession();
  const { route } = useLocation();
  const { isBusy, error, run } = useChange();
  const [asking, setAsking] = useState<'delete' | 'clone'>();
  const { id, tag, name, monitor_type: type, status, is_hidden: isHidden } = monitor;
  const store = (change: object): void => void run(() => act('storeMonitorData', { id, ...change })).then(onChange);
  const isLocked = isBusy || !may('monitors.write');
  return (
    <tr>
      <th scope="row">
        <a href={`/manage/monitors/${id}`}>{name}</a>
        <Fault error={error} />
      </th>
      <td>
        <code>{tag}</code>
      </td>
      <td>{type}</td>
      <td>
        <input
          type="checkbox"
          role="switch"
          aria-label={`${name} is active`}
          checked={status === 'ACTIVE'}
          disabled={isLocked}
          onChange={() => store({ status: status === 'ACTIVE' ? 'INACTIVE' : 'ACTIVE' })}
        />
      </td>
      <td>
        <input
          type="checkbox"
          role="switch"
          aria-label={`${name} is public`}
          checked={isHidden === 'NO'}
          disabled={isLocked}
          onChange={() => store({ is_hidden: isHidden === 'NO' ? 'YES' : 'NO' })}
        />
      </td>
      <td class="buttons">
        <button type="button" class="quiet" disabled={isLocked} onClick={() => setAsking('clone')}>
          Clone<span class="unseen"> {name}</span>
        </button>
        <button type="button" class="danger" disabled={isLocked} onClick={() => setAsking('delete')}>
          Delete<span class="unseen"> {name}</span>
        </button>
        {asking === 'clone' && (
          <CloneMonitor
            source={monitor}
            onClose={() => setAsking(undefined)}
            onDone={(made) => route(`/manage/monitors/${made}`)}
          />
        )}
        {asking === 'delete' && (
          <Confirm
            title={`Delete “${name}”?`}
            verb="Delete monitor"
            work={() => act('deleteMonitor', { tag })}
            onClose={() => {
              setAsking(undefined);
              onChange();
            }}
          >
            <p>Its whole history goes with it, and it leaves pages, incidents and maintenances. It cannot be undone.</p>
            <p>To stop it and keep its history, switch it off instead.</p>
          </Confirm>
        )}
      </td>
    </tr>
  );
}

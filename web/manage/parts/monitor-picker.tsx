import { useMemo, useState } from 'preact/hooks';
import type { DashboardMonitor } from './resource-types.ts';
import { useAction } from './use-action.ts';

export interface Affected {
  monitor_tag: string;
  monitor_impact: string;
}

interface Props {
  value: readonly Affected[];
  impacts: readonly string[];
  onChange: (value: Affected[]) => void;
}

/** Which monitors something lies over, and how badly. */
export function MonitorPicker({ value, impacts, onChange }: Props) {
  const { result: monitors = [] } = useAction<DashboardMonitor[]>('getMonitors');
  const [tag, setTag] = useState('');
  const names = useMemo(() => new Map(monitors.map((monitor) => [monitor.tag, monitor.name])), [monitors]);
  const free = monitors.filter((monitor) => !value.some(({ monitor_tag }) => monitor_tag === monitor.tag));
  const add = (): void => {
    if (!names.has(tag)) return;
    onChange([...value, { monitor_tag: tag, monitor_impact: impacts[0] ?? 'DOWN' }]);
    setTag('');
  };
  return (
    <fieldset>
      <legend>Affected monitors</legend>
      <p class="hint">Without any it is shown on every page.</p>
      <ul class="picked">
        {value.map(({ monitor_tag, monitor_impact }) => (
          <li key={monitor_tag} class="host-row">
            <span class="wide">{names.get(monitor_tag) ?? monitor_tag}</span>
            <label>
              <span class="unseen">Impact on {names.get(monitor_tag) ?? monitor_tag}</span>
              <select
                value={monitor_impact}
                onChange={({ currentTarget }) =>
                  onChange(
                    value.map((one) =>
                      one.monitor_tag === monitor_tag ? { monitor_tag, monitor_impact: currentTarget.value } : one,
                    ),
                  )
                }
              >
                {impacts.map((impact) => (
                  <option key={impact}>{impact}</option>
                ))}
              </select>
            </label>
            <button
              type="button"
              class="quiet"
              onClick={() => onChange(value.filter((one) => one.monitor_tag !== monitor_tag))}
            >
              Remove<span class="unseen"> {names.get(monitor_tag) ?? monitor_tag}</span>
            </button>
          </li>
        ))}
      </ul>
      <div class="host-row">
        <label class="wide">
          Monitor{' '}
          <select value={tag} onChange={(event) => setTag(event.currentTarget.value)}>
            <option value="">Choose one …</option>
            {free.map((monitor) => (
              <option key={monitor.tag} value={monitor.tag}>
                {monitor.name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="quiet" disabled={tag === ''} onClick={add}>
          Add
        </button>
      </div>
    </fieldset>
  );
}

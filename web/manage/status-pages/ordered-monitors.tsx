import { useState } from 'preact/hooks';
import type { DashboardMonitor } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';

interface Props {
  tags: readonly string[];
  onChange: (tags: string[]) => void;
}

/** The monitors of a page in their order, moved by buttons: no dragging, so keys and fingers do as well as a mouse. */
export function OrderedMonitors({ tags, onChange }: Props) {
  const { result: monitors = [] } = useAction<DashboardMonitor[]>('getMonitors');
  const [tag, setTag] = useState('');
  const nameOf = (wanted: string): string => monitors.find((monitor) => monitor.tag === wanted)?.name ?? wanted;
  const move = (from: number, to: number): void => {
    const next = tags.filter((_, index) => index !== from);
    next.splice(to, 0, tags[from] ?? '');
    onChange(next);
  };
  return (
    <fieldset>
      <legend>Monitors, in the order of the page</legend>
      <ol class="picked">
        {tags.map((one, index) => (
          <li key={one} class="host-row">
            <span class="wide">{nameOf(one)}</span>
            <button type="button" class="quiet small" disabled={index === 0} onClick={() => move(index, index - 1)}>
              Up<span class="unseen"> {nameOf(one)}</span>
            </button>
            <button
              type="button"
              class="quiet small"
              disabled={index === tags.length - 1}
              onClick={() => move(index, index + 1)}
            >
              Down<span class="unseen"> {nameOf(one)}</span>
            </button>
            <button type="button" class="quiet small" onClick={() => onChange(tags.filter((other) => other !== one))}>
              Remove<span class="unseen"> {nameOf(one)}</span>
            </button>
          </li>
        ))}
      </ol>
      <div class="host-row">
        <label class="wide">
          Monitor{' '}
          <select value={tag} onChange={(event) => setTag(event.currentTarget.value)}>
            <option value="">Choose one …</option>
            {monitors
              .filter((monitor) => !tags.includes(monitor.tag))
              .map((monitor) => (
                <option key={monitor.tag} value={monitor.tag}>
                  {monitor.name}
                </option>
              ))}
          </select>
        </label>
        <button
          type="button"
          class="quiet"
          disabled={tag === ''}
          onClick={() => {
            onChange([...tags, tag]);
            setTag('');
          }}
        >
          Add
        </button>
      </div>
    </fieldset>
  );
}

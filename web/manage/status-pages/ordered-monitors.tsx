import { AddMonitor, useMonitorNames } from '../parts/monitor-picker.tsx';

interface Props {
  tags: readonly string[];
  onChange: (tags: string[]) => void;
}

/** The monitors of a page in their order, moved by buttons: no dragging, so keys and fingers do as well as a mouse. */
export function OrderedMonitors({ tags, onChange }: Props) {
  const names = useMonitorNames(tags);
  const nameOf = (tag: string): string => names.get(tag) ?? tag;
  const move = (from: number, to: number): void => {
    const next = tags.filter((_, index) => index !== from);
    next.splice(to, 0, tags[from] ?? '');
    onChange(next);
  };
  return (
    <fieldset>
      <legend>Monitors, in the order of the page</legend>
      <ol class="picked">
        {tags.map((tag, index) => (
          <li key={tag} class="host-row">
            <span class="wide">{nameOf(tag)}</span>
            <button type="button" class="quiet small" disabled={index === 0} onClick={() => move(index, index - 1)}>
              Up<span class="unseen"> {nameOf(tag)}</span>
            </button>
            <button
              type="button"
              class="quiet small"
              disabled={index === tags.length - 1}
              onClick={() => move(index, index + 1)}
            >
              Down<span class="unseen"> {nameOf(tag)}</span>
            </button>
            <button type="button" class="quiet small" onClick={() => onChange(tags.filter((one) => one !== tag))}>
              Remove<span class="unseen"> {nameOf(tag)}</span>
            </button>
          </li>
        ))}
      </ol>
      {tags.length === 0 && <p class="hint">Without monitors the page shows incidents and maintenances only.</p>}
      <AddMonitor taken={tags} onAdd={(tag) => onChange([...tags, tag])} />
    </fieldset>
  );
}

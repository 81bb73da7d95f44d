import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import type { Impact } from '../../../core/monitor-reference.ts';
import { StateMark, wordOf } from './state-mark.tsx';
import { useAction } from './use-action.ts';
import { useSettled } from './use-settled.ts';

export interface Affected {
  monitor_tag: string;
  monitor_impact: Impact;
}

interface MonitorName {
  tag: string;
  name: string;
}

interface Props {
  value: readonly Affected[];
  /** The usual one first. */
  impacts: readonly [Impact, ...Impact[]];
  onChange: (value: Affected[]) => void;
}

/** Which monitors something lies over, and how badly. */
export function MonitorPicker({ value, impacts, onChange }: Props) {
  const tags = value.map(({ monitor_tag }) => monitor_tag);
  const names = useMonitorNames(tags);
  const nameOf = (tag: string): string => names.get(tag) ?? tag;
  const without = (tag: string): Affected[] => value.filter(({ monitor_tag }) => monitor_tag !== tag);
  return (
    <fieldset>
      <legend>Affected monitors</legend>
      <p class="hint">Without any it is shown on every page.</p>
      <ul class="picked">
        {value.map(({ monitor_tag: tag, monitor_impact: impact }) => (
          <li key={tag} class="host-row">
            <span class="wide">{nameOf(tag)}</span>
            <label>
              <span class="unseen">Impact on {nameOf(tag)}</span>
              <select
                value={impact}
                onChange={({ currentTarget }) => {
                  const chosen = impacts.find((one) => one === currentTarget.value) ?? impact;
                  onChange(value.map((one) => (one.monitor_tag === tag ? { ...one, monitor_impact: chosen } : one)));
                }}
              >
                {impacts.map((one) => (
                  <option key={one} value={one}>
                    {wordOf(one)}
                  </option>
                ))}
              </select>
            </label>
            <button type="button" class="quiet" onClick={() => onChange(without(tag))}>
              Remove<span class="unseen"> {nameOf(tag)}</span>
            </button>
          </li>
        ))}
      </ul>
      <AddMonitor
        taken={tags}
        onAdd={(tag) => onChange([...value, { monitor_tag: tag, monitor_impact: impacts[0] }])}
      />
    </fieldset>
  );
}

interface AddProps {
  taken: readonly string[];
  onAdd: (tag: string) => void;
}

/** Finds a monitor by what is typed of its name or tag, among however many. */
export function AddMonitor({ taken, onAdd }: AddProps) {
  const list = useId();
  const [text, setText] = useState('');
  const { result = [] } = useAction<MonitorName[]>('getMonitorNames', { search: useSettled(text.trim()) });
  const free = result.filter(({ tag }) => !taken.includes(tag));
  const found = free.find(({ tag, name }) => text === tag || text === name)?.tag;
  // Who types faster than the answer comes is not asked to press Enter again.
  const [isAwaited, setAwaited] = useState(false);
  const add = (): void => {
    if (found === undefined) return;
    onAdd(found);
    setText('');
    setAwaited(false);
  };
  useEffect(() => {
    if (isAwaited) add();
  }, [isAwaited, found]);
  return (
    <div class="host-row">
      <div class="choice wide">
        <label for={`${list}-text`}>Monitor</label>
        <input
          id={`${list}-text`}
          list={list}
          autocomplete="off"
          placeholder="Name or tag"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAwaited(false);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // The form around it is not meant.
            event.preventDefault();
            setAwaited(true);
          }}
        />
        <datalist id={list}>
          {free.map(({ tag, name }) => (
            <option key={tag} value={tag}>
              {name}
            </option>
          ))}
        </datalist>
      </div>
      <button type="button" class="quiet" disabled={found === undefined} onClick={add}>
        Add
      </button>
    </div>
  );
}

/** What something lies over, in words. */
export function Affects({ monitors }: { monitors: readonly Affected[] }) {
  const names = useMonitorNames(monitors.map(({ monitor_tag }) => monitor_tag));
  if (monitors.length === 0) return <>every page</>;
  return (
    <ul>
      {monitors.map(({ monitor_tag: tag, monitor_impact: impact }) => (
        <li key={tag}>
          <StateMark status={impact}>
            {names.get(tag) ?? tag}: {wordOf(impact).toLowerCase()}
          </StateMark>
        </li>
      ))}
    </ul>
  );
}

/** The names of these monitors by their tags, in whatever order. */
export function useMonitorNames(tags: readonly string[]): ReadonlyMap<string, string> {
  const { result } = useAction<MonitorName[]>('getMonitorNames', { tags: [...tags].sort() });
  return useMemo(() => new Map(result?.map(({ tag, name }) => [tag, name])), [result]);
}

import { useId, useMemo, useState } from 'preact/hooks';
import type { Impact } from '../../../core/monitor-reference.ts';
import { StateMark, wordOf } from './state-mark.tsx';
import { useAction } from './use-action.ts';

export interface Affected {
  monitor_tag: string;
  monitor_impact: Impact;
}

interface Props {
  value: readonly Affected[];
  /** The usual one first. */
  impacts: readonly [Impact, ...Impact[]];
  onChange: (value: Affected[]) => void;
}

/** Which monitors something lies over, and how badly. */
export function MonitorPicker({ value, impacts, onChange }: Props) {
  const names = useMonitorNames();
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
        names={names}
        taken={value.map(({ monitor_tag }) => monitor_tag)}
        onAdd={(tag) => onChange([...value, { monitor_tag: tag, monitor_impact: impacts[0] }])}
      />
    </fieldset>
  );
}

interface AddProps {
  names: ReadonlyMap<string, string>;
  taken: readonly string[];
  onAdd: (tag: string) => void;
}

/** Finds a monitor by what is typed of its name or tag, among however many. */
export function AddMonitor({ names, taken, onAdd }: AddProps) {
  const list = useId();
  const [text, setText] = useState('');
  const free = useMemo(() => [...names].filter(([tag]) => !taken.includes(tag)), [names, taken]);
  const found = free.find(([tag, name]) => text === tag || text === name)?.[0];
  const add = (): void => {
    if (found === undefined) return;
    onAdd(found);
    setText('');
  };
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
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // The form around it is not meant.
            event.preventDefault();
            add();
          }}
        />
        <datalist id={list}>
          {free.map(([tag, name]) => (
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
  const names = useMonitorNames();
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

/** The names of all monitors by their tags. */
export function useMonitorNames(): ReadonlyMap<string, string> {
  const { result } = useAction<{ tag: string; name: string }[]>('getMonitors');
  return useMemo(() => new Map(result?.map(({ tag, name }) => [tag, name])), [result]);
}

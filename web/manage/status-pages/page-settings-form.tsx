import type { PageSettings } from '../../../core/page-settings.ts';
import { Choice } from '../parts/field.tsx';

type Settings = Partial<PageSettings>;

interface Props {
  settings: Settings;
  onChange: (settings: Settings) => void;
}

const LAYOUTS = [
  ['default-list', 'A list'],
  ['default-grid', 'Side by side'],
  ['compact-list', 'A short list'],
  ['compact-grid', 'Short, side by side'],
] as const;

const FLAGS = [
  [['incidents', 'enabled'], 'Show incidents'],
  [['incidents', 'ongoing', 'show'], 'Ongoing incidents'],
  [['incidents', 'resolved', 'show'], 'Resolved incidents'],
  [['include_maintenances', 'enabled'], 'Show maintenances'],
  [['include_maintenances', 'ongoing', 'show'], 'Ongoing maintenances'],
  [['include_maintenances', 'ongoing', 'upcoming', 'show'], 'Upcoming maintenances'],
  [['include_maintenances', 'ongoing', 'past', 'show'], 'Past maintenances'],
] as const;

const NUMBERS = [
  [['incidents', 'resolved', 'max_count'], 'Resolved incidents at most', 5],
  [['incidents', 'resolved', 'days_in_past'], 'Resolved incidents of the last days', 7],
  [['include_maintenances', 'ongoing', 'upcoming', 'max_count'], 'Upcoming maintenances at most', 5],
  [['include_maintenances', 'ongoing', 'upcoming', 'days_in_future'], 'Upcoming maintenances of the next days', 30],
  [['include_maintenances', 'ongoing', 'past', 'max_count'], 'Past maintenances at most', 5],
  [['include_maintenances', 'ongoing', 'past', 'days_in_past'], 'Past maintenances of the last days', 7],
  [['monitor_status_history_days', 'desktop'], 'Days of history', 90],
  [['monitor_status_history_days', 'mobile'], 'Days of history on a phone', 30],
] as const;

/** What a page shows besides its monitors, and how. */
export function PageSettingsForm({ settings, onChange }: Props) {
  const set = (path: readonly string[], value: unknown): void => onChange(withValue(settings, path, value));
  return (
    <details>
      <summary>What the page shows</summary>
      <div class="choices">
        {FLAGS.map(([path, label]) => (
          <label key={label}>
            <input
              type="checkbox"
              checked={valueAt(settings, path) !== false}
              onChange={(event) => set(path, event.currentTarget.checked)}
            />{' '}
            {label}
          </label>
        ))}
      </div>
      <div class="grid-form">
        {NUMBERS.map(([path, label, usual]) => (
          <label key={label}>
            <span>{label}</span>
            <input
              type="number"
              min={0}
              required
              value={Number(valueAt(settings, path) ?? usual)}
              onInput={(event) => set(path, event.currentTarget.valueAsNumber)}
            />
          </label>
        ))}
        <Choice
          label="Layout"
          value={settings.monitor_layout_style ?? 'default-list'}
          options={LAYOUTS}
          onChange={(layout) => set(['monitor_layout_style'], layout)}
        />
      </div>
    </details>
  );
}

function valueAt(settings: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return settings;
  return isObject(settings) ? valueAt(settings[name], rest) : undefined;
}

function withValue(settings: unknown, [name, ...rest]: readonly string[], value: unknown): Settings {
  const members = isObject(settings) ? settings : {};
  if (name === undefined) return members;
  return { ...members, [name]: rest.length === 0 ? value : withValue(members[name], rest, value) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

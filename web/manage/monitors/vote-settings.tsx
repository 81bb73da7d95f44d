import type { Region } from '../../../core/agent-resource.ts';
import { ChoiceField, NumberField, TextField } from '../parts/bound-fields.tsx';
import { useAction } from '../parts/use-action.ts';

/** A monitor's `monitor_settings_json`; members that no form knows are kept. */
export type Settings = Record<string, unknown>;

interface Props {
  settings: Settings;
  error: Error | undefined;
  onChange: (settings: Settings) => void;
}

const QUORUMS = [
  ['majority', 'Most of the regions that know'],
  ['any', 'One region is enough'],
  ['all', 'All regions that know'],
  ['number', 'So many regions'],
] as const;
const FORMULAS = [
  ['uptime_formula_numerator', 'Uptime, above the line', 'up + maintenance + degraded'],
  ['uptime_formula_denominator', 'Uptime, below the line', 'up + down + degraded + maintenance'],
] as const;

/** Which regions measure a monitor, how many of them make it DOWN, and how its uptime is reckoned. */
export function VoteSettings({ settings, error, onChange }: Props) {
  const { quorum } = settings;
  const isNumber = typeof quorum === 'number';
  return (
    <details class="card">
      <summary>Regions, quorum and uptime formula</summary>
      <div class="stack">
        <Regions settings={settings} onChange={onChange} />
        <div class="grid-form">
          <ChoiceField
            label="Down is what says"
            name="monitor_settings_json.quorum_kind"
            error={error}
            value={isNumber ? 'number' : textOf(quorum) || 'majority'}
            options={QUORUMS}
            onChange={(kind) => onChange(withMember(settings, 'quorum', quorumOf(kind)))}
          />
          {isNumber && (
            <NumberField
              label="Regions"
              name="monitor_settings_json.quorum"
              error={error}
              value={quorum}
              onChange={(number) => onChange({ ...settings, quorum: number })}
            />
          )}
          {FORMULAS.map(([name, label, usual]) => (
            <TextField
              key={name}
              label={label}
              name={`monitor_settings_json.${name}`}
              error={error}
              isOptional
              placeholder={usual}
              value={textOf(settings[name])}
              onChange={(text) => onChange(withMember(settings, name, text === '' ? null : text))}
            />
          ))}
        </div>
      </div>
    </details>
  );
}

function Regions({ settings, onChange }: Omit<Props, 'error'>) {
  const { result: regions = [] } = useAction<Region[]>('getRegions');
  const chosen = Array.isArray(settings.regions) ? settings.regions.map(String) : null;
  const names = [...new Set([...regions.map(({ name }) => name), ...(chosen ?? [])])];
  const toggle = (name: string): void => {
    const next = names.filter((one) => (chosen ? chosen.includes(one) : true) !== (one === name));
    onChange(withMember(settings, 'regions', next.length === names.length ? null : next));
  };
  if (names.length === 0)
    return <p class="hint">No region has an agent yet; every one that comes runs this monitor.</p>;
  return (
    <fieldset class="choices">
      <legend>Runs in</legend>
      {names.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen ? chosen.includes(name) : true}
            disabled={chosen?.length === 1 && chosen[0] === name}
            onChange={() => toggle(name)}
          />{' '}
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** Null: the usual one. */
function quorumOf(kind: string): string | number | null {
  if (kind === 'majority') return null;
  return kind === 'number' ? 2 : kind;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Null: without the member. */
function withMember(settings: Settings, name: string, value: unknown): Settings {
  const others = Object.entries(settings).filter(([other]) => other !== name);
  return Object.fromEntries(value === null ? others : [...others, [name, value]]);
}

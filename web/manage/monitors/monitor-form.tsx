import { useState } from 'preact/hooks';
import type { ProbeKind } from '../../../core/type-data.ts';
import { act, Refused } from '../client.ts';
import { Field } from '../parts/field.tsx';
import { valuesOf } from '../parts/form.ts';
import { Fault } from '../parts/notice.tsx';
import type { DashboardMonitor } from '../parts/resource-types.ts';
import { useChange } from '../parts/use-action.ts';
import { TestRun } from './test-run.tsx';
import { BLANK, TypeDataForm, type TypeData } from './type-data-form.tsx';

interface Props {
  /** Null: a new one. */
  monitor: DashboardMonitor | null;
  onSaved: (id: number) => void;
}

const KINDS: readonly ProbeKind[] = ['PING', 'TCP', 'DNS'];
const OTHERS = ['API', 'SSL', 'SQL', 'GRPC', 'HEARTBEAT', 'GROUP', 'NONE'];

/** A monitor's form: the common members, the check by its type, and the raw JSON for types without a form. */
export function MonitorForm({ monitor, onSaved }: Props) {
  const { isBusy, error, run } = useChange();
  const [type, setType] = useState(monitor?.monitor_type ?? 'TCP');
  const [typeData, setTypeData] = useState<TypeData>(startOf(type, monitor));
  const [settings, setSettings] = useState(monitor?.monitor_settings_json ?? '');
  const kind = KINDS.find((name) => name === type);
  const chooseType = (next: string): void => {
    setType(next);
    setTypeData(startOf(next, monitor));
  };
  const submit = (event: SubmitEvent): void => {
    const { confirmation_threshold: threshold, ...values } = valuesOf(event);
    void run(async () => {
      const stored = await act<number | number[]>('storeMonitorData', {
        ...(monitor && { id: monitor.id }),
        ...blanksAsNull(values),
        monitor_type: type,
        type_data: withoutBlankLines(typeData),
        monitor_settings_json: settings.trim() === '' ? null : jsonOf(settings, 'monitor_settings_json'),
        confirmation_threshold: Number(threshold),
      });
      onSaved(Array.isArray(stored) ? (stored[0] ?? 0) : (monitor?.id ?? 0));
    });
  };
  return (
    <form class="stack" onSubmit={submit}>
      <Common monitor={monitor} error={error} type={type} onType={chooseType} />
      <section class="card stack">
        <h2>Check</h2>
        {kind ? (
          <TypeDataForm kind={kind} data={typeData} onChange={setTypeData} />
        ) : (
          <JsonBox label={`type_data of ${type}`} value={typeData} onChange={setTypeData} />
        )}
        {kind && <TestRun type={type} typeData={withoutBlankLines(typeData)} />}
      </section>
      <details class="card">
        <summary>Settings: quorum, regions, uptime formula</summary>
        <Field
          label="monitor_settings_json"
          name="monitor_settings_json"
          error={error}
          hint='For example {"quorum": "majority", "regions": ["eu", "us"]}'
        >
          {(control) => (
            <textarea
              {...control}
              spellcheck={false}
              value={settings}
              onInput={(e) => setSettings(e.currentTarget.value)}
            />
          )}
        </Field>
      </details>
      <Fault error={error} />
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Saving …' : monitor ? 'Save changes' : 'Create monitor'}
      </button>
    </form>
  );
}

/** What the form of a type starts with: what is stored, or something to fill in. */
function startOf(type: string, monitor: DashboardMonitor | null): TypeData {
  if (type === monitor?.monitor_type) return parsed(monitor.type_data) ?? {};
  const kind = KINDS.find((name) => name === type);
  return kind ? BLANK[kind] : {};
}

interface CommonProps {
  monitor: DashboardMonitor | null;
  error: Error | undefined;
  type: string;
  onType: (type: string) => void;
}

function Common({ monitor, error, type, onType }: CommonProps) {
  return (
    <section class="card grid-form">
      <Field label="Name" name="name" error={error}>
        {(control) => <input {...control} required defaultValue={monitor?.name} />}
      </Field>
      {!monitor && (
        <Field label="Tag" name="tag" error={error} hint="Names it in addresses and programs; it cannot be changed.">
          {(control) => <input {...control} required placeholder="checkout-api" />}
        </Field>
      )}
      <Field label="Type" name="kind" error={error}>
        {(control) => (
          <select {...control} name={undefined} value={type} onChange={(event) => onType(event.currentTarget.value)}>
            {[...new Set([...KINDS, ...OTHERS, type])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Description" name="description" error={error}>
        {(control) => <input {...control} defaultValue={monitor?.description ?? ''} />}
      </Field>
      <Field label="Category" name="category_name" error={error}>
        {(control) => <input {...control} defaultValue={monitor?.category_name ?? ''} />}
      </Field>
      <Field label="Schedule" name="cron" error={error} hint="Cron, five fields, UTC. Empty: every minute.">
        {(control) => <input {...control} placeholder="* * * * *" defaultValue={monitor?.cron ?? ''} />}
      </Field>
      <Field label="Image" name="image" error={error} hint="The address of a small picture">
        {(control) => <input {...control} type="url" defaultValue={monitor?.image ?? ''} />}
      </Field>
      <Field
        label="Confirm after"
        name="confirmation_threshold"
        error={error}
        hint="So many minutes in a row before a change is reported; the data keep every minute."
      >
        {(control) => (
          <input
            {...control}
            type="number"
            min={1}
            max={60}
            required
            defaultValue={monitor?.confirmation_threshold ?? 1}
          />
        )}
      </Field>
      <Field label="Degraded counts as downtime" name="include_degraded_in_downtime" error={error}>
        {(control) => (
          <select {...control} defaultValue={monitor?.include_degraded_in_downtime ?? 'NO'}>
            <option value="NO">No</option>
            <option value="YES">Yes</option>
          </select>
        )}
      </Field>
    </section>
  );
}

function JsonBox({ label, value, onChange }: { label: string; value: TypeData; onChange: (value: TypeData) => void }) {
  const [text, setText] = useState(JSON.stringify(value, null, 2));
  const [fault, setFault] = useState<string>();
  const change = (next: string): void => {
    setText(next);
    const data = parsed(next);
    setFault(data ? undefined : 'This is no JSON object yet; it is not saved like this.');
    if (data) onChange(data);
  };
  return (
    <label class="field">
      <span>
        <code>{label}</code> as JSON: every member is kept
      </span>
      <textarea
        rows={10}
        spellcheck={false}
        aria-invalid={fault ? 'true' : undefined}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {fault && (
        <span class="fault" role="status">
          {fault}
        </span>
      )}
    </label>
  );
}

function parsed(text: string | null | undefined): TypeData | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // JSON.parse's only way to say no.
    return undefined;
  }
}

function jsonOf(text: string, name: string): TypeData {
  const value = parsed(text);
  if (!value) throw new Refused(400, `${name} must be a JSON object`, new Map([[name, 'must be a JSON object']]));
  return value;
}

/** An empty line of a form is no value. */
function blanksAsNull(values: Record<string, string>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim() === '' ? null : text]));
}

function withoutBlankLines(data: TypeData): TypeData {
  const { values } = data;
  if (!Array.isArray(values)) return data;
  return { ...data, values: values.filter((text) => typeof text !== 'string' || text.trim() !== '') };
}

import { useState } from 'preact/hooks';
import type { ProbeKind } from '../../../core/type-data.ts';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { Field, SelectField } from '../parts/field.tsx';
import { blanksAsNull, changedOf } from '../parts/form.ts';
import type { MonitorDetail } from '../parts/resource-types.ts';
import { POINT_CHOICES } from '../parts/state-mark.tsx';
import { JsonField } from './json-field.tsx';
import { TestRun } from './test-run.tsx';
import { BLANK, TypeDataForm, type TypeData } from './type-data-form.tsx';
import { VoteSettings } from './vote-settings.tsx';

interface Props {
  /** Null: a new one. */
  monitor: MonitorDetail | null;
  onSaved: (tag: string) => void;
  onCancel: () => void;
}

const KINDS: readonly ProbeKind[] = ['PING', 'TCP', 'DNS'];
const OTHERS = ['API', 'SSL', 'SQL', 'GRPC', 'HEARTBEAT', 'GROUP', 'NONE'];
const YES_NO = [
  ['NO', 'No'],
  ['YES', 'Yes'],
] as const;

/** A monitor's form: the common members, the check by its type, and the raw JSON for types without a form. */
export function MonitorForm({ monitor, onSaved, onCancel }: Props) {
  const [type, setType] = useState(monitor?.monitor_type ?? 'TCP');
  const [typeData, setTypeData] = useState<TypeData>(startOf(type, monitor));
  const [settings, setSettings] = useState(monitor?.monitor_settings_json ?? {});
  const kind = KINDS.find((name) => name === type);
  const chooseType = (next: string): void => {
    setType(next);
    setTypeData(startOf(next, monitor));
  };
  const save = async (values: Record<string, string>, began: Record<string, string>): Promise<void> => {
    // What is named by a path stands in the states above.
    const texts = Object.fromEntries(Object.entries(values).filter(([name]) => !name.includes('.')));
    const fields = {
      ...blanksAsNull(texts),
      confirmation_threshold: Number(texts.confirmation_threshold ?? '1'),
      monitor_type: type,
      type_data: withoutBlankLines(typeData),
      monitor_settings_json: settings,
    };
    if (monitor) {
      const { monitor_type, type_data, monitor_settings_json } = monitor;
      const changed = changedOf(
        fields,
        { ...began, ...checkOf(monitor_type, type_data), monitor_settings_json: monitor_settings_json ?? {} },
        { ...texts, ...checkOf(type, typeData), monitor_settings_json: settings },
      );
      await act('storeMonitorData', { id: monitor.id, ...changed });
    } else await act('storeMonitorData', fields);
    onSaved(monitor?.tag ?? texts.tag ?? '');
  };
  return (
    <ChangeForm verb={monitor ? 'Save changes' : 'Create monitor'} busy="Saving …" work={save} onCancel={onCancel}>
      {(error) => (
        <>
          <Common monitor={monitor} error={error} type={type} onType={chooseType} />
          <section class="card stack">
            <h2>What is checked</h2>
            {kind ? (
              <TypeDataForm kind={kind} data={typeData} error={error} onChange={setTypeData} />
            ) : (
              <JsonField
                key={type}
                label={`Configuration of ${type}`}
                name="type_data"
                error={error}
                value={typeData}
                onChange={setTypeData}
              />
            )}
            {kind && <TestRun type={type} typeData={withoutBlankLines(typeData)} />}
          </section>
          <section class="card stack">
            <h2>When it is measured, and how it is told</h2>
            <div class="grid-form">
              <Telling monitor={monitor} error={error} />
              <Reporting monitor={monitor} error={error} />
            </div>
          </section>
          <VoteSettings settings={settings} error={error} onChange={setSettings} />
        </>
      )}
    </ChangeForm>
  );
}

/** What the form of a type starts with: what is stored, or something to fill in. */
function startOf(type: string, monitor: MonitorDetail | null): TypeData {
  if (type === monitor?.monitor_type) return monitor.type_data;
  const kind = KINDS.find((name) => name === type);
  return kind ? BLANK[kind] : {};
}

/** A configuration is one of a type: both change together. */
function checkOf(type: string, data: TypeData) {
  return { monitor_type: [type, data], type_data: [type, data] };
}

interface CommonProps {
  monitor: MonitorDetail | null;
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
          {(control) => <input {...control} required autocomplete="off" placeholder="checkout-api" />}
        </Field>
      )}
      <Field label="Type" name="monitor_type" error={error}>
        {(control) => (
          <select {...control} value={type} onChange={(event) => onType(event.currentTarget.value)}>
            {[...new Set([...KINDS, ...OTHERS, type])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Description" name="description" error={error}>
        {(control) => <input {...control} defaultValue={monitor?.description ?? ''} />}
      </Field>
    </section>
  );
}

function Telling({ monitor, error }: Pick<CommonProps, 'monitor' | 'error'>) {
  return (
    <>
      <Field label="Category" name="category_name" error={error}>
        {(control) => <input {...control} defaultValue={monitor?.category_name ?? ''} />}
      </Field>
      <Field label="Schedule" name="cron" error={error} hint="Cron, five fields, UTC. Empty: every minute.">
        {(control) => <input {...control} placeholder="* * * * *" defaultValue={monitor?.cron ?? ''} />}
      </Field>
      <Field label="Image" name="image" error={error} hint="The address of a small picture">
        {(control) => <input {...control} type="url" defaultValue={monitor?.image ?? ''} />}
      </Field>
      <Field label="Link" name="external_url" error={error} hint="The address of what is watched, for people">
        {(control) => <input {...control} type="url" defaultValue={monitor?.external_url ?? ''} />}
      </Field>
    </>
  );
}

/** How what was measured is told. */
function Reporting({ monitor, error }: Pick<CommonProps, 'monitor' | 'error'>) {
  return (
    <>
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
      <SelectField
        label="Status before any data"
        name="default_status"
        error={error}
        options={POINT_CHOICES}
        chosen={monitor?.default_status ?? 'UP'}
      />
      <SelectField
        label="Degraded counts as downtime"
        name="include_degraded_in_downtime"
        error={error}
        options={YES_NO}
        chosen={monitor?.include_degraded_in_downtime}
      />
      <SelectField
        label="Hidden from the public"
        name="is_hidden"
        error={error}
        options={YES_NO}
        chosen={monitor?.is_hidden}
      />
    </>
  );
}

function withoutBlankLines(data: TypeData): TypeData {
  const { values } = data;
  if (!Array.isArray(values)) return data;
  return { ...data, values: values.filter((text) => typeof text !== 'string' || text.trim() !== '') };
}

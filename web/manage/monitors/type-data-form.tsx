import type { DnsConfig, PingHost, ProbeKind, TcpHost } from '../../../core/type-data.ts';
import { Field } from '../parts/field.tsx';

/** What a form holds of a monitor's `type_data`; members it does not know are kept. */
export type TypeData = Record<string, unknown>;

interface Props<Data> {
  data: Data;
  error: Error | undefined;
  onChange: (data: Data) => void;
}

type Host = Partial<PingHost & TcpHost>;

const RECORD_TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NAPTR', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'];
const HOST_TYPES = [
  ['DOMAIN', 'Name'],
  ['IP4', 'IPv4'],
  ['IP6', 'IPv6'],
] as const;

/** What a new monitor of a type starts with. */
export const BLANK: Record<ProbeKind, TypeData> = {
  PING: { hosts: [{ type: 'DOMAIN', host: '', timeout: 1000, count: 3 }] },
  TCP: { hosts: [{ type: 'DOMAIN', host: '', port: 443, timeout: 1000 }] },
  DNS: { host: '', lookupRecord: 'A', matchType: 'ANY', values: [''] },
};

/** The configuration of a check, by its type: PING and TCP have hosts, DNS has a question. */
export function TypeDataForm({ kind, data, error, onChange }: Props<TypeData> & { kind: ProbeKind }) {
  if (kind === 'DNS') return <DnsForm data={data} error={error} onChange={onChange} />;
  const evalName = kind === 'PING' ? 'pingEval' : 'tcpEval';
  return (
    <>
      <Hosts kind={kind} data={hostsOf(data)} error={error} onChange={(hosts) => onChange({ ...data, hosts })} />
      <details open={Boolean(data[evalName])}>
        <summary>Judge the result by a function of your own</summary>
        <Field
          label={evalName}
          name={`type_data.${evalName}`}
          error={error}
          hint="A JavaScript function; it gets the hosts’ results and returns { status, latency }."
        >
          {(control) => (
            <textarea
              {...control}
              class="code"
              spellcheck={false}
              value={textOf(data[evalName])}
              onInput={({ currentTarget: { value } }) => onChange({ ...data, [evalName]: value === '' ? null : value })}
            />
          )}
        </Field>
      </details>
    </>
  );
}

function Hosts({ kind, data: hosts, error, onChange }: Props<Host[]> & { kind: 'PING' | 'TCP' }) {
  const change = (index: number, part: Host): void =>
    onChange(hosts.map((host, at) => (at === index ? { ...host, ...part } : host)));
  return (
    <fieldset>
      <legend>Hosts</legend>
      {hosts.map((host, index) => (
        // A host has no identity but its place.
        <div class="host-row" key={index}>
          <HostFields
            {...{ kind, host, error }}
            path={`type_data.hosts.${index}`}
            onChange={(part) => change(index, part)}
          />
          <button
            type="button"
            class="quiet"
            disabled={hosts.length === 1}
            onClick={() => onChange(hosts.filter((_, at) => at !== index))}
          >
            Remove<span class="unseen"> host {index + 1}</span>
          </button>
        </div>
      ))}
      <button type="button" class="quiet small" onClick={() => onChange([...hosts, ...hostsOf(BLANK[kind])])}>
        Add a host
      </button>
    </fieldset>
  );
}

interface HostProps {
  kind: 'PING' | 'TCP';
  host: Host;
  error: Error | undefined;
  /** Where it stands in the body. */
  path: string;
  onChange: (part: Host) => void;
}

function HostFields({ kind, host, error, path, onChange }: HostProps) {
  return (
    <>
      <Field label="Kind" name={`${path}.type`} error={error}>
        {(control) => (
          <select
            {...control}
            value={host.type ?? 'IP4'}
            onChange={({ currentTarget: { value } }) => onChange({ type: typeNamed(value) })}
          >
            {HOST_TYPES.map(([type, name]) => (
              <option key={type} value={type}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Host" name={`${path}.host`} error={error} class="wide">
        {(control) => (
          <input
            {...control}
            required
            autocomplete="off"
            spellcheck={false}
            value={host.host ?? ''}
            onInput={({ currentTarget }) => onChange({ host: currentTarget.value })}
          />
        )}
      </Field>
      {kind === 'TCP' ? (
        <NumberField
          {...{ label: 'Port', name: `${path}.port`, error }}
          value={host.port ?? 80}
          onChange={(port) => onChange({ port })}
        />
      ) : (
        <NumberField
          {...{ label: 'Packets', name: `${path}.count`, error }}
          value={host.count ?? 3}
          onChange={(count) => onChange({ count })}
        />
      )}
      <NumberField
        {...{ label: 'Timeout, ms', name: `${path}.timeout`, error }}
        value={host.timeout ?? 1000}
        onChange={(timeout) => onChange({ timeout })}
      />
    </>
  );
}

interface NumberProps {
  label: string;
  name: string;
  error: Error | undefined;
  value: number;
  onChange: (value: number) => void;
}

function NumberField({ label, name, error, value, onChange }: NumberProps) {
  return (
    <Field label={label} name={name} error={error} class="narrow">
      {(control) => (
        <input
          {...control}
          type="number"
          required
          min={1}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
        />
      )}
    </Field>
  );
}

function DnsForm({ data, error, onChange }: Props<TypeData>) {
  const config: Partial<DnsConfig> = data;
  return (
    <fieldset class="stack">
      <legend>Question and expected answer</legend>
      <div class="host-row">
        <Field label="Domain" name="type_data.host" error={error} class="wide">
          {(control) => (
            <input
              {...control}
              required
              autocomplete="off"
              spellcheck={false}
              value={config.host ?? ''}
              onInput={({ currentTarget }) => onChange({ ...data, host: currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Record" name="type_data.lookupRecord" error={error}>
          {(control) => (
            <select
              {...control}
              value={config.lookupRecord ?? 'A'}
              onChange={({ currentTarget }) => onChange({ ...data, lookupRecord: currentTarget.value })}
            >
              {RECORD_TYPES.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Of these values" name="type_data.matchType" error={error}>
          {(control) => (
            <select
              {...control}
              value={config.matchType ?? 'ANY'}
              onChange={({ currentTarget }) => onChange({ ...data, matchType: currentTarget.value })}
            >
              <option value="ANY">any is enough</option>
              <option value="ALL">all must be there</option>
            </select>
          )}
        </Field>
      </div>
      <Field label="Expected values" name="type_data.values" error={error} hint="One a line.">
        {(control) => (
          <textarea
            {...control}
            required
            value={(config.values ?? []).join('\n')}
            onInput={({ currentTarget }) => onChange({ ...data, values: currentTarget.value.split('\n') })}
          />
        )}
      </Field>
      <Field
        label="Resolver"
        name="type_data.nameServer"
        error={error}
        hint="Without: the resolvers of each agent’s host. An address, address:port or a name."
      >
        {(control) => (
          <input
            {...control}
            autocomplete="off"
            value={config.nameServer ?? ''}
            onInput={({ currentTarget }) => onChange({ ...data, nameServer: currentTarget.value })}
          />
        )}
      </Field>
    </fieldset>
  );
}

function typeNamed(value: string): Host['type'] {
  return HOST_TYPES.find(([type]) => type === value)?.[0];
}

function hostsOf(data: TypeData): Host[] {
  // The server validates it whole; here it is only shown.
  return Array.isArray(data.hosts) ? (data.hosts as Host[]) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

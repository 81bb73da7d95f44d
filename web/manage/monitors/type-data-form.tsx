import type { DnsConfig, PingHost, ProbeKind, TcpHost } from '../../../core/type-data.ts';
import { ChoiceField, NumberField, TextField } from '../parts/bound-fields.tsx';
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

const MATCHES = [
  ['ANY', 'any is enough'],
  ['ALL', 'all must be there'],
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
  const at = (member: keyof Host) => ({ name: `${path}.${member}`, error });
  return (
    <>
      <ChoiceField
        label="Kind"
        {...at('type')}
        value={host.type ?? 'IP4'}
        options={HOST_TYPES}
        onChange={(value) => onChange({ type: typeNamed(value) })}
      />
      <TextField
        label="Host"
        {...at('host')}
        class="wide"
        value={host.host ?? ''}
        onChange={(value) => onChange({ host: value })}
      />
      {kind === 'TCP' ? (
        <NumberField
          label="Port"
          {...at('port')}
          class="narrow"
          value={host.port ?? 80}
          onChange={(port) => onChange({ port })}
        />
      ) : (
        <NumberField
          label="Packets"
          {...at('count')}
          class="narrow"
          value={host.count ?? 3}
          onChange={(count) => onChange({ count })}
        />
      )}
      <NumberField
        label="Timeout, ms"
        {...at('timeout')}
        class="narrow"
        value={host.timeout ?? 1000}
        onChange={(timeout) => onChange({ timeout })}
      />
    </>
  );
}

function DnsForm({ data, error, onChange }: Props<TypeData>) {
  const config: Partial<DnsConfig> = data;
  const at = (member: keyof DnsConfig) => ({ name: `type_data.${member}`, error });
  return (
    <fieldset class="stack">
      <legend>Question and expected answer</legend>
      <div class="host-row">
        <TextField
          label="Domain"
          {...at('host')}
          class="wide"
          value={config.host ?? ''}
          onChange={(host) => onChange({ ...data, host })}
        />
        <ChoiceField
          label="Record"
          {...at('lookupRecord')}
          value={config.lookupRecord ?? 'A'}
          options={RECORD_TYPES.map((type) => [type, type] as const)}
          onChange={(lookupRecord) => onChange({ ...data, lookupRecord })}
        />
        <ChoiceField
          label="Of these values"
          {...at('matchType')}
          value={config.matchType ?? 'ANY'}
          options={MATCHES}
          onChange={(matchType) => onChange({ ...data, matchType })}
        />
      </div>
      <Field label="Expected values" {...at('values')} hint="One a line.">
        {(control) => (
          <textarea
            {...control}
            required
            value={(config.values ?? []).join('\n')}
            onInput={({ currentTarget }) => onChange({ ...data, values: currentTarget.value.split('\n') })}
          />
        )}
      </Field>
      <TextField
        label="Resolver"
        {...at('nameServer')}
        isOptional
        hint="Without: the resolvers of each agent’s host. An address, address:port or a name."
        value={config.nameServer ?? ''}
        onChange={(nameServer) => onChange({ ...data, nameServer })}
      />
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

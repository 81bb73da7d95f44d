import { useId } from 'preact/hooks';
import type { DnsConfig, PingHost, ProbeKind, TcpHost } from '../../../core/type-data.ts';

/** What a form holds of a monitor's `type_data`; members it does not know are kept. */
export type TypeData = Record<string, unknown>;

interface Props<Data> {
  data: Data;
  onChange: (data: Data) => void;
}

type Host = Partial<PingHost & TcpHost>;

const RECORD_TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NAPTR', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'];

/** What a new monitor of a type starts with. */
export const BLANK: Record<ProbeKind, TypeData> = {
  PING: { hosts: [{ type: 'DOMAIN', host: '', timeout: 1000, count: 3 }] },
  TCP: { hosts: [{ type: 'DOMAIN', host: '', port: 443, timeout: 1000 }] },
  DNS: { host: '', lookupRecord: 'A', matchType: 'ANY', values: [''] },
};

/** The configuration of a check, by its type: PING and TCP have hosts, DNS has a question. */
export function TypeDataForm({ kind, data, onChange }: Props<TypeData> & { kind: ProbeKind }) {
  if (kind === 'DNS') return <DnsForm data={data} onChange={onChange} />;
  const evalName = kind === 'PING' ? 'pingEval' : 'tcpEval';
  return (
    <>
      <Hosts kind={kind} data={hostsOf(data)} onChange={(hosts) => onChange({ ...data, hosts })} />
      <details>
        <summary>Judge the result by a function of your own</summary>
        <label class="field">
          <span>
            <code>{evalName}</code>: a JavaScript function; it gets the hosts’ results and returns{' '}
            {'{ status, latency }'}
          </span>
          <textarea
            spellcheck={false}
            value={textOf(data[evalName])}
            onInput={({ currentTarget: { value } }) => onChange({ ...data, [evalName]: value === '' ? null : value })}
          />
        </label>
      </details>
    </>
  );
}

function Hosts({ kind, data: hosts, onChange }: Props<Host[]> & { kind: 'PING' | 'TCP' }) {
  const change = (index: number, part: Host): void =>
    onChange(hosts.map((host, at) => (at === index ? { ...host, ...part } : host)));
  return (
    <fieldset>
      <legend>Hosts</legend>
      {hosts.map((host, index) => (
        // A host has no identity but its place.
        <div class="host-row" key={index}>
          <label>
            Kind{' '}
            <select
              value={host.type ?? 'IP4'}
              onChange={(event) => change(index, { type: event.currentTarget.value as Host['type'] })}
            >
              <option value="DOMAIN">Name</option>
              <option value="IP4">IPv4</option>
              <option value="IP6">IPv6</option>
            </select>
          </label>
          <label class="wide">
            Host{' '}
            <input
              required
              value={host.host ?? ''}
              onInput={({ currentTarget }) => change(index, { host: currentTarget.value })}
            />
          </label>
          {kind === 'TCP' ? (
            <NumberBox label="Port" value={host.port ?? 80} onChange={(port) => change(index, { port })} />
          ) : (
            <NumberBox label="Packets" value={host.count ?? 3} onChange={(count) => change(index, { count })} />
          )}
          <NumberBox
            label="Timeout, ms"
            value={host.timeout ?? 1000}
            onChange={(timeout) => change(index, { timeout })}
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
      <button type="button" class="quiet" onClick={() => onChange([...hosts, ...hostsOf(BLANK[kind])])}>
        Add a host
      </button>
    </fieldset>
  );
}

function NumberBox({ label, value, onChange }: { label: string; value: number; onChange: (value: number) => void }) {
  return (
    <label>
      {label}{' '}
      <input
        type="number"
        required
        min={1}
        value={value}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}

function DnsForm({ data, onChange }: Props<TypeData>) {
  const config = data as Partial<DnsConfig>;
  const hint = useId();
  return (
    <fieldset>
      <legend>Question and expected answer</legend>
      <div class="host-row">
        <label class="wide">
          Domain{' '}
          <input
            required
            value={config.host ?? ''}
            onInput={({ currentTarget }) => onChange({ ...data, host: currentTarget.value })}
          />
        </label>
        <label>
          Record{' '}
          <select
            value={config.lookupRecord ?? 'A'}
            onChange={({ currentTarget }) => onChange({ ...data, lookupRecord: currentTarget.value })}
          >
            {RECORD_TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
        <label>
          Of these values{' '}
          <select
            value={config.matchType ?? 'ANY'}
            onChange={({ currentTarget }) => onChange({ ...data, matchType: currentTarget.value })}
          >
            <option value="ANY">any is enough</option>
            <option value="ALL">all must be there</option>
          </select>
        </label>
      </div>
      <label class="field">
        <span>Expected values, one a line</span>
        <textarea
          required
          value={(config.values ?? []).join('\n')}
          onInput={({ currentTarget }) => onChange({ ...data, values: currentTarget.value.split('\n') })}
        />
      </label>
      <label class="field">
        <span>Resolver</span>
        <input
          aria-describedby={hint}
          value={config.nameServer ?? ''}
          onInput={({ currentTarget }) => onChange({ ...data, nameServer: currentTarget.value })}
        />
        <span id={hint} class="hint">
          Without: the resolvers of each agent’s host. An address, address:port or a name.
        </span>
      </label>
    </fieldset>
  );
}

function hostsOf(data: TypeData): Host[] {
  // The server validates it whole; here it is only shown.
  return Array.isArray(data.hosts) ? (data.hosts as Host[]) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

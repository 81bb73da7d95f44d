import { describe, expect, it } from 'vitest';
import {
  dnsTypeData,
  normaliseDnsValue,
  parseNameServer,
  pingTypeData,
  tcpTypeData,
  worstCaseMs,
} from '../../../core/type-data.ts';

/** The first problem of a value that must not parse, as `path: message`. */
function firstProblem(schema: typeof pingTypeData | typeof tcpTypeData | typeof dnsTypeData, value: unknown): string {
  const parsed = schema.safeParse(value);
  const [issue] = parsed.error?.issues ?? [];
  if (!issue) throw new Error(`parsed: ${JSON.stringify(parsed.data)}`);
  return `${issue.path.join('.')}: ${issue.message}`;
}

describe('PING type_data', () => {
  it('stores every default and keeps members it does not know', () => {
    expect(pingTypeData.parse({ hosts: [{ host: '127.0.0.1', note: 'x' }], extra: 1 })).toEqual({
      hosts: [{ type: 'IP4', host: '127.0.0.1', timeout: 1000, count: 3, note: 'x' }],
      extra: 1,
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['no hosts', {}, /^hosts: at least one host/],
    ['empty hosts', { hosts: [] }, /^hosts: at least one host/],
    ['an empty host', { hosts: [{ host: ' ' }] }, /^hosts\.0\.host: host is required/],
    ['a missing host', { hosts: [{}] }, /^hosts\.0\.host: /],
    ['IP4 with a name', { hosts: [{ host: 'localhost' }] }, /not an IPv4 address/],
    ['IP4 with IPv6', { hosts: [{ host: '::1' }] }, /not an IPv4 address/],
    ['IP6 with IPv4', { hosts: [{ type: 'IP6', host: '127.0.0.1' }] }, /not an IPv6 address/],
    ['DOMAIN with IPv4', { hosts: [{ type: 'DOMAIN', host: '127.0.0.1' }] }, /not a host name/],
    ['DOMAIN with half an address', { hosts: [{ type: 'DOMAIN', host: '10.0' }] }, /not a host name/],
    ['DOMAIN with a space', { hosts: [{ type: 'DOMAIN', host: 'a b' }] }, /not a host name/],
    ['an unknown type', { hosts: [{ type: 'IPX', host: '127.0.0.1' }] }, /^hosts\.0\.type: /],
    ['count 0', { hosts: [{ host: '127.0.0.1', count: 0 }] }, /^hosts\.0\.count: /],
    ['count 101', { hosts: [{ host: '127.0.0.1', count: 101 }] }, /^hosts\.0\.count: /],
    ['half a packet', { hosts: [{ host: '127.0.0.1', count: 1.5 }] }, /^hosts\.0\.count: /],
    ['timeout 0', { hosts: [{ host: '127.0.0.1', timeout: 0 }] }, /^hosts\.0\.timeout: /],
    ['a timeout as text', { hosts: [{ host: '127.0.0.1', timeout: '1000' }] }, /^hosts\.0\.timeout: /],
    [
      'a check of a minute',
      { hosts: [{ host: '127.0.0.1', timeout: 60_000 }] },
      /^hosts: a check may take at most 50000/,
    ],
    ['101 hosts', { hosts: Array.from({ length: 101 }, () => ({ host: '127.0.0.1' })) }, /^hosts: /],
    ['an eval of 64 KiB and one', { hosts: [{ host: '127.0.0.1' }], pingEval: 'x'.repeat(65_537) }, /^pingEval: /],
    ['text', 'hosts', /^: /],
  ])('refuses %s', (_name, value, problem) => {
    expect(firstProblem(pingTypeData, value)).toMatch(problem);
  });

  it.each([
    ['IP6', '::1'],
    ['DOMAIN', 'localhost'],
    ['DOMAIN', 'example.org'],
    ['DOMAIN', 'xn--bcher-kva.example.'],
  ])('takes %s %s', (type, host) => {
    expect(pingTypeData.safeParse({ hosts: [{ type, host }] }).success).toBe(true);
  });
});

describe('TCP type_data', () => {
  it('stores every default', () => {
    expect(tcpTypeData.parse({ hosts: [{ host: '127.0.0.1' }], tcpEval: null })).toEqual({
      hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80, timeout: 1000 }],
      tcpEval: null,
    });
  });

  it.each([0, 65_536, -1, 80.5, '80'])('refuses port %j', (port) => {
    expect(firstProblem(tcpTypeData, { hosts: [{ host: '127.0.0.1', port }] })).toMatch(/^hosts\.0\.port: /);
  });
});

describe('DNS type_data', () => {
  it('stores every default', () => {
    expect(dnsTypeData.parse({ host: 'example.org', values: ['127.0.0.1'] })).toEqual({
      host: 'example.org',
      nameServer: '',
      lookupRecord: 'A',
      matchType: 'ANY',
      values: ['127.0.0.1'],
    });
  });

  it('reads a record type in any case', () => {
    expect(dnsTypeData.parse({ host: 'a.b', values: ['x'], lookupRecord: 'mx' }).lookupRecord).toBe('MX');
  });

  it.each<[string, object, RegExp]>([
    ['no host', { values: ['a'] }, /^host: /],
    ['an empty label', { host: 'a..b', values: ['a'] }, /^host: /],
    ['no values', { host: 'a.b' }, /^values: at least one expected value/],
    ['values that are nothing', { host: 'a.b', values: [' . '] }, /^values: at least one expected value/],
    ['an unknown record', { host: 'a.b', values: ['a'], lookupRecord: 'ZZZ' }, /^lookupRecord: /],
    ['an unknown match', { host: 'a.b', values: ['a'], matchType: 'SOME' }, /^matchType: /],
    ['a bad name server', { host: 'a.b', values: ['a'], nameServer: '127.0.0.1:0' }, /^nameServer: /],
  ])('refuses %s', (_name, value, problem) => {
    expect(firstProblem(dnsTypeData, value)).toMatch(problem);
  });
});

describe('normaliseDnsValue', () => {
  it.each([
    [' Example.ORG. ', 'example.org'],
    ['a..', 'a.'],
    ['a .', 'a'],
    ['.', ''],
  ])('reads %j as %j', (value, normal) => {
    expect(normaliseDnsValue(value)).toBe(normal);
  });
});

describe('parseNameServer', () => {
  it.each([
    ['127.0.0.1', { host: '127.0.0.1', port: 53 }],
    ['127.0.0.1:5353', { host: '127.0.0.1', port: 5353 }],
    ['::1', { host: '::1', port: 53 }],
    ['[::1]:5353', { host: '::1', port: 5353 }],
    ['[::1]', { host: '::1', port: 53 }],
    ['ns.example', { host: 'ns.example', port: 53 }],
    ['ns.example:54', { host: 'ns.example', port: 54 }],
    ['', null],
    ['[127.0.0.1]:53', null],
    ['1.2.3:53', null],
    ['127.0.0.1:65536', null],
    ['127.0.0.1:', null],
    ['a b', null],
    ['[::1', null],
  ])('reads %j', (text, expected) => {
    expect(parseNameServer(text)).toEqual(expected);
  });
});

describe('worstCaseMs', () => {
  it('is the slowest host, since hosts go side by side', () => {
    const config = pingTypeData.parse({
      hosts: [
        { host: '127.0.0.1', timeout: 1000, count: 3 },
        { host: 'localhost', type: 'DOMAIN', timeout: 500, count: 1 },
      ],
    });
    expect(worstCaseMs({ kind: 'PING', config })).toBe(3500);
  });
});

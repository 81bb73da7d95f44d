import { describe, expect, it } from 'vitest';
import { dnsTypeData, type DnsConfig } from '../../../core/type-data.ts';
import {
  judgeDns,
  judgeEval,
  judgePing,
  judgeProblems,
  judgeTcp,
  pingEvalInput,
  tcpEvalInput,
  tcpFailure,
} from '../../../agent/evaluate.ts';
import type { DnsAttempt, DnsCode } from '../../../agent/probes/dns.ts';
import type { PingAttempt, PingMeasurement } from '../../../agent/probes/ping.ts';
import type { TcpAttempt } from '../../../agent/probes/tcp.ts';
import type { SandboxAnswer } from '../../../agent/sandbox/answer.ts';

const packets = { sent: 3, received: 3, minUs: 1000, avgUs: 2000, maxUs: 3000, deviationUs: 816 };

function ping(latency: number | null, more: Partial<PingAttempt> = {}): PingAttempt {
  const text = latency === null ? null : latency.toFixed(3);
  return {
    host: '192.0.2.1',
    type: 'IP4',
    address: '192.0.2.1',
    alive: latency !== null,
    min: text,
    max: text,
    avg: text,
    latencies: latency === null ? [] : [latency],
    latency,
    sent: 1,
    received: latency === null ? 0 : 1,
    problem: null,
    error: null,
    ...more,
  };
}

const measured = (...attempts: PingAttempt[]): PingMeasurement => ({ attempts, packets });

function tcp(more: Partial<TcpAttempt> = {}): TcpAttempt {
  return {
    status: 'open',
    latency: 1.5,
    host: '192.0.2.1',
    port: 80,
    type: 'IP4',
    code: 'open',
    address: '192.0.2.1',
    problem: null,
    detail: null,
    ...more,
  };
}

describe('the built-in rule of PING', () => {
  it('is UP where every host is alive, with the mean over them', () => {
    expect(judgePing(measured(ping(1), ping(2.0005)))).toEqual({
      status: 'UP',
      cause: 'NONE',
      origin: 'REALTIME',
      latencyUs: 1500,
      error: null,
      packets,
    });
  });

  it('is DOWN where one host is dead, with the mean over those that answered', () => {
    const outcome = judgePing(measured(ping(4), ping(null, { host: 'b.example.test' })));
    expect(outcome).toMatchObject({ status: 'DOWN', cause: 'TARGET', latencyUs: 4000 });
    expect(outcome.error).toBe('Host b.example.test is unreachable.');
  });

  it('has latency 0 where none answered, and names each', () => {
    const outcome = judgePing(measured(ping(null), ping(null, { host: 'b', error: 'b does not exist' })));
    expect(outcome).toMatchObject({ status: 'DOWN', latencyUs: 0 });
    expect(outcome.error).toBe('Host 192.0.2.1 is unreachable. Host b is unreachable. (b does not exist)');
  });
});

describe('the built-in rule of TCP', () => {
  it('is UP where every host is open, with the mean over them', () => {
    expect(judgeTcp([tcp(), tcp({ latency: 2.5 })])).toMatchObject({ status: 'UP', latencyUs: 2000, error: null });
  });

  it('is DOWN where one is not, with the mean over all hosts', () => {
    const silent = tcp({ status: 'timeout', code: 'timeout', latency: 1000, port: 81 });
    expect(judgeTcp([tcp({ latency: 2 }), silent])).toMatchObject({
      status: 'DOWN',
      cause: 'TARGET',
      origin: 'REALTIME',
      latencyUs: 501_000,
      error: 'Host 192.0.2.1:81 is timeout',
    });
  });

  it.each<[Partial<TcpAttempt>, string]>([
    [{ status: 'timeout', code: 'timeout' }, 'Host 192.0.2.1:80 is timeout'],
    [{ status: 'error', code: 'refused', detail: 'ECONNREFUSED' }, 'Host 192.0.2.1:80 is error (refused)'],
    [{ status: 'error', code: 'error', detail: 'EPROTO' }, 'Host 192.0.2.1:80 is error (EPROTO)'],
    [
      { status: 'error', code: 'unresolved', detail: 'x does not exist' },
      'Host 192.0.2.1:80 is error (x does not exist)',
    ],
  ])('names the failure %#', (more, text) => {
    expect(tcpFailure([tcp(), tcp(more)])).toBe(text);
  });

  it('cuts a text that is longer than is kept', () => {
    const attempts = Array.from({ length: 100 }, () => tcp({ status: 'timeout', code: 'timeout' }));
    expect(judgeTcp(attempts).error).toHaveLength(500);
  });
});

describe('a host that the agent could not measure', () => {
  const policy = { reason: 'policy', detail: 'not allowed: 127.0.0.1', cause: 'AGENT' } as const;

  it('makes the whole check UNKNOWN, also beside one that is certainly dead', () => {
    const dead = tcp({ status: 'error', code: 'refused' });
    const refused = tcp({ host: '127.0.0.1', status: 'error', code: 'unmeasured', problem: policy });
    expect(judgeProblems([dead, refused])).toEqual({
      status: 'UNKNOWN',
      cause: 'AGENT',
      origin: 'REALTIME',
      latencyUs: null,
      error: 'policy: not allowed: 127.0.0.1',
      packets: null,
    });
  });

  it('is named where its problem does not name it', () => {
    const stalled = { reason: 'stalled', detail: 'did not run', cause: 'AGENT' } as const;
    expect(judgeProblems([{ host: 'h', problem: stalled }])?.error).toBe('stalled: did not run, host h');
  });

  it('is none where all were measured', () => {
    expect(judgeProblems([tcp(), tcp()])).toBeNull();
  });
});

describe('the rule of DNS', () => {
  const config = (more: Record<string, unknown>): DnsConfig =>
    dnsTypeData.parse({ host: 'www.example.test', values: ['a'], ...more });
  const attempt = (values: string[], code: DnsCode = 'answer'): DnsAttempt => ({
    code,
    values,
    latency: 12.3456,
    host: 'www.example.test',
    type: 'A',
    address: null,
    own: true,
    problem: null,
    detail: null,
  });

  it.each<[string, 'ANY' | 'ALL', string[], string[], string]>([
    ['one of them is there', 'ANY', ['a', 'b'], ['b', 'c'], 'UP'],
    ['none is there', 'ANY', ['a', 'b'], ['c'], 'DOWN'],
    ['every one is there, in any order', 'ALL', ['a', 'b'], ['c', 'b', 'a'], 'UP'],
    ['one is missing', 'ALL', ['a', 'b'], ['a', 'c'], 'DOWN'],
    ['no record came', 'ANY', ['a'], [], 'DOWN'],
    ['they differ in case, one dot and space', 'ALL', [' Mail.Example.TEST. ', ''], ['mail.example.test'], 'UP'],
    ['the answer does', 'ALL', ['mail.example.test'], ['MAIL.example.test.'], 'UP'],
    ['two dots are one too many', 'ANY', ['a'], ['a..'], 'DOWN'],
    ['only a part is equal', 'ANY', ['example.test'], ['www.example.test'], 'DOWN'],
    ['a value that is empty does not count', 'ANY', ['.', 'a'], ['.'], 'DOWN'],
  ])('%s (%s)', (_, matchType, values, answered, status) => {
    expect(judgeDns(config({ matchType, values }), attempt(answered))).toMatchObject({ status, latencyUs: 12_346 });
  });

  it('says what was expected and what came', () => {
    const outcome = judgeDns(config({ values: ['x', 'y'], matchType: 'ALL' }), attempt(['Y', 'z']));
    expect(outcome.error).toBe('Expected x; the answer was y, z');
  });

  it.each<[DnsCode, string, string]>([
    ['nxdomain', 'TARGET', 'A of www.example.test: the name does not exist (NXDOMAIN)'],
    ['nodata', 'TARGET', 'A of www.example.test: the name has no such record'],
    ['servfail', 'RESOLVER', 'A of www.example.test: the name server failed (SERVFAIL)'],
    ['refused', 'RESOLVER', 'A of www.example.test: the name server refused (REFUSED)'],
    ['timeout', 'RESOLVER', 'A of www.example.test: the name server did not answer in time'],
  ])('%s is DOWN, REALTIME, with the time it took', (code, cause, error) => {
    const outcome = judgeDns(config({}), attempt([], code));
    expect(outcome).toEqual({ status: 'DOWN', cause, origin: 'REALTIME', latencyUs: 12_346, error, packets: null });
  });
});

describe("what a user's function answered", () => {
  const judge = (answer: SandboxAnswer, failure: string | null = null) => judgeEval('tcpEval', answer, failure, null);
  const value = (one: unknown): SandboxAnswer => ({ kind: 'value', value: one });

  it.each(['UP', 'DOWN', 'DEGRADED'] as const)('%s with a latency is that', (status) => {
    expect(judge(value({ status, latency: 1.2345 }))).toMatchObject({ status, latencyUs: 1235, origin: 'REALTIME' });
  });

  it('may be UP though a host failed, and keeps the failure beside what is not UP', () => {
    expect(judge(value({ status: 'UP', latency: 0 }), 'Host h is timeout')).toMatchObject({ error: null });
    expect(judge(value({ status: 'DEGRADED', latency: 0 }), 'Host h is timeout').error).toBe('Host h is timeout');
    expect(judge(value({ status: 'DOWN', latency: 0 })).error).toBe('tcpEval returned DOWN.');
  });

  it('has its type overwritten, and its other members ignored', () => {
    expect(judge(value({ status: 'UP', latency: 1, type: 'MANUAL', error: 'x' }))).toMatchObject({
      origin: 'REALTIME',
    });
  });

  it.each<[string, SandboxAnswer, string]>([
    ['threw', { kind: 'threw', message: 'boom' }, 'Error in tcpEval: boom'],
    ['ran for ever', { kind: 'limit', message: 'took too long' }, 'Error in tcpEval: took too long'],
    ['returned nothing', { kind: 'none' }, 'tcpEval did not return a valid response.'],
    ['returned text', value('UP'), 'tcpEval did not return a valid response.'],
    ['returned a number', value(1), 'tcpEval did not return a valid response.'],
    ['left the status out', value({ latency: 1 }), 'tcpEval did not return status or latency.'],
    ['left the latency out', value({ status: 'UP' }), 'tcpEval did not return status or latency.'],
    ['returned an array', value([]), 'tcpEval did not return status or latency.'],
    [
      'made a status up',
      value({ status: 'FOO', latency: 1 }),
      'tcpEval returned status "FOO", which is none of UP, DOWN, DEGRADED.',
    ],
    [
      'said MAINTENANCE',
      value({ status: 'MAINTENANCE', latency: 1 }),
      'tcpEval returned status "MAINTENANCE", which is none of UP, DOWN, DEGRADED.',
    ],
    [
      'said up',
      value({ status: 'up', latency: 1 }),
      'tcpEval returned status "up", which is none of UP, DOWN, DEGRADED.',
    ],
    [
      'returned a text latency',
      value({ status: 'UP', latency: 'x' }),
      'tcpEval returned latency "x", which is not a number from 0 to 2147483.',
    ],
    [
      'returned a negative latency',
      value({ status: 'UP', latency: -5 }),
      'tcpEval returned latency -5, which is not a number from 0 to 2147483.',
    ],
    [
      'returned no number',
      value({ status: 'UP', latency: null }),
      'tcpEval returned latency null, which is not a number from 0 to 2147483.',
    ],
    [
      'returned an endless latency',
      value({ status: 'UP', latency: 3e9 }),
      'tcpEval returned latency 3000000000, which is not a number from 0 to 2147483.',
    ],
  ])('%s: DOWN, type ERROR', (_, answer, error) => {
    expect(judge(answer)).toEqual({
      status: 'DOWN',
      cause: 'TARGET',
      origin: 'ERROR',
      latencyUs: 0,
      error,
      packets: null,
    });
  });

  it('failed in the sandbox itself: UNKNOWN, never DOWN', () => {
    expect(judge({ kind: 'failed', message: 'the sandbox died' })).toMatchObject({
      status: 'UNKNOWN',
      cause: 'AGENT',
      error: 'sandbox: the sandbox died',
    });
  });

  it('names the function of PING, and keeps its packets', () => {
    const outcome = judgeEval('pingEval', { kind: 'none' }, null, packets);
    expect(outcome).toMatchObject({ error: 'pingEval did not return a valid response.', packets });
  });
});

describe("what a user's function sees", () => {
  it('of a PING is the fields of the reference', () => {
    expect(pingEvalInput([ping(1.5), ping(null)])).toEqual([
      {
        alive: true,
        min: '1.500',
        max: '1.500',
        avg: '1.500',
        latencies: [1.5],
        latency: 1.5,
        host: '192.0.2.1',
        type: 'IP4',
      },
      { alive: false, min: null, max: null, avg: null, latencies: [], latency: null, host: '192.0.2.1', type: 'IP4' },
    ]);
  });

  it('of a TCP check is the fields of the reference and a code', () => {
    expect(tcpEvalInput([tcp({ status: 'error', code: 'refused', detail: 'ECONNREFUSED' })])).toEqual([
      { status: 'error', latency: 1.5, host: '192.0.2.1', port: 80, type: 'IP4', code: 'refused' },
    ]);
  });
});

import { z } from 'zod';
import { CAUSE_CODE, ORIGIN_CODE, STATUS_CODE, millisecondsOf } from './outcome.ts';
import { RECORD_TYPES } from './type-data.ts';

/** What a run on demand found: as agents report it, and as clients see it. Nothing of it is stored as a point. */

/** Longer reports are no agent's of ours. */
export const MAX_REPORT_LENGTH = 1024 * 1024;
const MAX_TEXT = 2000;

const text = z.string().max(MAX_TEXT);
const milliseconds = z.number().min(0);
const count = z.int().min(0);
const cause = z.enum(namesOf(CAUSE_CODE));
const status = z.enum(namesOf(STATUS_CODE));
const type = z.enum(namesOf(ORIGIN_CODE));
const hostType = z.enum(['IP4', 'IP6', 'DOMAIN']);

const measured = {
  host: text,
  address: text.nullable().meta({ description: 'What was measured; null where there was nothing to measure' }),
  problem: z
    .object({ reason: text, detail: text, cause })
    .nullable()
    .meta({ description: 'Why the agent could not measure; the other members then say nothing of the target' }),
};

const pingResult = z
  .object({
    ...measured,
    type: hostType,
    alive: z.boolean(),
    sent: count,
    received: count,
    min: text.nullable().meta({ description: 'Milliseconds with three decimals' }),
    avg: text.nullable(),
    max: text.nullable(),
    latencies: z.array(milliseconds).max(1000),
    latency: milliseconds.nullable(),
    error: text.nullable(),
  })
  .meta({ id: 'PingHostResult' });

const tcpResult = z
  .object({
    ...measured,
    type: hostType,
    port: z.int(),
    status: z.enum(['open', 'timeout', 'error']),
    code: text.meta({ description: '`refused`, `unreachable` and so on', examples: ['open'] }),
    latency: milliseconds,
    detail: text.nullable(),
  })
  .meta({ id: 'TcpHostResult' });

const dnsResult = z
  .object({
    ...measured,
    type: z.enum(RECORD_TYPES),
    code: text.meta({ description: '`answer`, or what came instead', examples: ['answer'] }),
    values: z.array(z.string().max(70_000)).max(1000).meta({ description: "The answer's records" }),
    own: z.boolean().meta({ description: "True where the agent's own resolvers were asked" }),
    latency: milliseconds,
    detail: text.nullable(),
  })
  .meta({ id: 'DnsResult' });

/** One entry a host, in the order of the monitor's hosts; a DNS check has one. */
const results = z.array(z.union([pingResult, tcpResult, dnsResult])).max(100);
const timeUs = z.int().min(0).nullable();

/** What an agent reports: an outcome (core/outcome.ts) and what it was made of. */
export const checkReport = z.object({
  status,
  cause,
  origin: type,
  latencyUs: timeUs,
  error: text.nullable(),
  packets: z
    .object({ sent: count, received: count, minUs: timeUs, avgUs: timeUs, maxUs: timeUs, deviationUs: timeUs })
    .nullable(),
  results,
});
export type CheckReport = z.output<typeof checkReport>;

/** What a client is told. Times are milliseconds. */
export const checkAnswer = z
  .object({
    region: z.string(),
    agent: z.string(),
    status,
    latency: milliseconds.nullable(),
    type,
    cause,
    error_message: z.string().nullable(),
    packets: z
      .object({
        sent: count,
        received: count,
        min: milliseconds.nullable(),
        avg: milliseconds.nullable(),
        max: milliseconds.nullable(),
        deviation: milliseconds.nullable(),
      })
      .nullable()
      .meta({ description: 'Over all hosts of a PING' }),
    results,
  })
  .meta({ id: 'CheckAnswer' });
export type CheckAnswer = z.output<typeof checkAnswer>;

/** A report as clients see it. */
export function checkAnswerOf(report: CheckReport, by: { region: string; agent: string }): CheckAnswer {
  const { packets } = report;
  return {
    ...by,
    status: report.status,
    latency: shown(report.latencyUs),
    type: report.origin,
    cause: report.cause,
    error_message: report.error,
    packets: packets && {
      sent: packets.sent,
      received: packets.received,
      min: shown(packets.minUs),
      avg: shown(packets.avgUs),
      max: shown(packets.maxUs),
      deviation: shown(packets.deviationUs),
    },
    results: report.results,
  };
}

function shown(time: number | null): number | null {
  return time === null ? null : millisecondsOf(time);
}

function namesOf<K extends string>(codes: Record<K, number>): K[] {
  // Object.keys forgets the names of a closed record.
  return Object.keys(codes) as K[];
}

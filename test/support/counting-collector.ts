import { setTimeout as wait } from 'node:timers/promises';
import type { CheckResult } from '../../core/result.ts';
import { encodeAck, encodeAckOfAll, type AnsweredRow } from '../../proto/ack-codec.ts';
import { createCollectorServer, type CollectorStream } from '../../proto/collector-stream.ts';
import type {
  Ack,
  AgentMessage,
  AgentStatus,
  CheckAnswer,
  Hello,
  ResultBatch,
  UnknownMessage,
  Welcome,
} from '../../proto/messages.ts';
import { decodeResults } from '../../proto/results-codec.ts';
import { StreamEnd } from '../../proto/stream-end.ts';
import { testServerTls } from './test-identity.ts';

export interface CountingOptions {
  epoch?: string;
  timeline?: string;
  maxInFlight?: number;
  /** The database's clock, unix milliseconds. */
  nowMs?: () => number;
  /** The answer of one row; stored by default. */
  answer?: (row: CheckResult) => AnsweredRow;
  /** Waited for before a batch is acknowledged. */
  beforeAck?: () => Promise<void>;
  /** Who an agent is, by the hash of its key; 1 by default. */
  agentIdOf?: (keyHash: string) => number;
  /** Whether agents are refused. */
  refuses?: () => boolean;
}

/** A collector without a database: takes everything, keeps it, and counts. */
export interface CountingCollector {
  address: string;
  port: number;
  results: CheckResult[];
  /** The agent that sent each of the results. */
  senders: number[];
  /** When each of them came, unix milliseconds. */
  arrivals: number[];
  absences: { from: number; to: number; reason: string }[];
  hellos: Hello[];
  statuses: AgentStatus[];
  answers: CheckAnswer[];
  leaves: number;
  /** Highest number of batches that were unacknowledged at once. */
  mostInFlight: number;
  /** While true nothing is acknowledged. */
  isSilent: boolean;
  /** While true nothing is read. */
  isDeaf: boolean;
  options: CountingOptions;
  /** Sends every connected agent a message. */
  broadcast(message: Parameters<CollectorStream['send']>[0]): Promise<void>;
  stop(): Promise<void>;
}

/** Listens on `port` of loopback (0: any). */
export async function startCountingCollector(
  options: CountingOptions = {},
  port = 0,
  tls = testServerTls,
): Promise<CountingCollector> {
  const streams = new Set<CollectorStream>();
  const unasked = (): Promise<never> => Promise.reject(new StreamEnd('UNIMPLEMENTED', 'not here'));
  const server = createCollectorServer({
    async stream(stream) {
      streams.add(stream);
      try {
        await serve(stream, collector);
      } finally {
        streams.delete(stream);
      }
    },
    renew: unasked,
    enrol: unasked,
    onFault(error) {
      throw error;
    },
  });
  const listening = await server.listen({ host: '127.0.0.1', port }, tls);
  const collector: CountingCollector = {
    address: `127.0.0.1:${listening}`,
    port: listening,
    results: [],
    senders: [],
    arrivals: [],
    absences: [],
    hellos: [],
    statuses: [],
    answers: [],
    leaves: 0,
    mostInFlight: 0,
    isSilent: false,
    isDeaf: false,
    options,
    async broadcast(message) {
      for (const stream of streams) await stream.send(message);
    },
    stop: () => server.close(0),
  };
  return collector;
}

async function serve(stream: CollectorStream, collector: CountingCollector): Promise<void> {
  const { options } = collector;
  if (options.refuses?.()) throw new StreamEnd('UNAUTHENTICATED', 'unknown or revoked agent');
  const inFlight = { count: 0 };
  for await (const message of stream.messages) {
    while (collector.isDeaf && !stream.over.aborted) await wait(20);
    if (message.body === 'leave') {
      collector.leaves += 1;
      break;
    }
    await take(message, stream, collector, inFlight);
  }
}

function clockUs({ nowMs = Date.now }: CountingOptions): number {
  return Math.round(nowMs() * 1000);
}

async function take(
  message: AgentMessage | UnknownMessage,
  stream: CollectorStream,
  collector: CountingCollector,
  inFlight: { count: number },
): Promise<void> {
  const { options } = collector;
  switch (message.body) {
    case 'hello':
      collector.hellos.push(message.hello);
      return stream.send({ body: 'welcome', welcome: welcomeOf(options, agentIdOf(stream, options)) });
    case 'results':
      inFlight.count += 1;
      collector.mostInFlight = Math.max(collector.mostInFlight, inFlight.count);
      if (collector.isSilent) return;
      await options.beforeAck?.();
      inFlight.count -= 1;
      return stream.send({ body: 'ack', ack: takeResults(message.results, agentIdOf(stream, options), collector) });
    case 'absences':
      for (const { fromMinute, toMinute, reason } of message.absences.absences)
        collector.absences.push({ from: fromMinute * 60, to: toMinute * 60, reason });
      return stream.send({ body: 'ack', ack: encodeAckOfAll(message.absences.batch, clockUs(options), STORED) });
    case 'status':
      collector.statuses.push(message.status);
      return;
    case 'checkAnswer':
      collector.answers.push(message.checkAnswer);
      return;
    default:
  }
}

const STORED: AnsweredRow = { answer: 'stored', reason: null };

function agentIdOf({ peer }: CollectorStream, options: CountingOptions): number {
  return options.agentIdOf?.(peer.keyHash) ?? 1;
}

function welcomeOf(options: CountingOptions, agentId: number): Welcome {
  const { epoch = 'epoch-1', timeline = '1', maxInFlight = 16 } = options;
  return { protocol: 1, agentId, regionId: 1, epoch, timeline, maxInFlight, clockUs: clockUs(options) };
}

function takeResults(batch: ResultBatch, agentId: number, collector: CountingCollector): Ack {
  const { options, results, senders, arrivals } = collector;
  const decoded = decodeResults(batch, { regionId: 1, agentId });
  if ('malformed' in decoded) throw new Error(decoded.malformed);
  for (const fault of decoded.faults.values()) throw new Error(`invalid ${fault}`);
  const answers = decoded.results.rows().map((row): AnsweredRow => {
    const result = decoded.results.result(row);
    const answer = options.answer?.(result) ?? STORED;
    if (answer.answer === 'stored') {
      results.push(result);
      senders.push(agentId);
      arrivals.push(Date.now());
    }
    return answer;
  });
  return encodeAck(batch.batch, clockUs(options), answers);
}

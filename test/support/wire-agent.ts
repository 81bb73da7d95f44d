import type { CheckResult } from '../../core/result.ts';
import { decodeAck, type AnsweredRow } from '../../proto/ack-codec.ts';
import type { AgentTls } from '../../proto/agent-client.ts';
import { openAgentStream, type AgentStream } from '../../proto/agent-stream.ts';
import type {
  Ack,
  CheckRequest,
  CollectorMessage,
  ResultBatch,
  UnknownMessage,
  Welcome,
} from '../../proto/messages.ts';
import { encodeResults } from '../../proto/results-codec.ts';
import { tlsOf } from './test-identity.ts';

/** An agent that is nothing but its stream. */
export interface WireAgent {
  welcome: Welcome;
  stream: AgentStream;
  /** Sends a batch; resolves with the answers of its rows. */
  send(results: readonly CheckResult[], epoch?: string): Promise<AnsweredRow[]>;
  /** The same for a batch that the test made itself. */
  sendBatch(batch: ResultBatch): Promise<AnsweredRow[]>;
  absences(intervals: { from: number; to: number; reason?: string }[]): Promise<AnsweredRow[]>;
  /** Messages other than acknowledgements, so far. */
  others: (CollectorMessage | UnknownMessage)[];
  /** Resolves with what ended the stream; undefined where it ended well. */
  ended: Promise<unknown>;
  close(): Promise<void>;
}

export interface WireAgentOptions {
  address: string;
  /** As `createAgent` of test-identity.ts gave it. */
  token: string;
  region: string;
  version?: string;
  /** What it does when it is asked for a run on demand. Without: nothing. */
  onCheck?: (request: CheckRequest) => Promise<void>;
}

/** Connects, says hello and waits for the welcome. Rejects with the stream's end where there is none. */
export function connectWireAgent({ token, ...options }: WireAgentOptions): Promise<WireAgent> {
  return connectWireAgentBy(tlsOf(token), options);
}

/** The same with a certificate of the test's own. */
export async function connectWireAgentBy(
  tls: AgentTls,
  { address, region, version = 'test', onCheck }: Omit<WireAgentOptions, 'token'>,
): Promise<WireAgent> {
  const stream = openAgentStream({ address, tls });
  const acks = new Map<number, (ack: Ack) => void>();
  const others: (CollectorMessage | UnknownMessage)[] = [];
  let welcomed: (welcome: Welcome) => void = () => undefined;
  const welcome = new Promise<Welcome>((resolve) => (welcomed = resolve));
  const ended = (async () => {
    for await (const message of stream.messages) {
      if (message.body === 'ack') acks.get(message.ack.batch)?.(message.ack);
      else if (message.body === 'welcome') welcomed(message.welcome);
      else others.push(message);
      if (message.body === 'checkRequest') await onCheck?.(message.checkRequest);
    }
  })().catch((error: unknown) => error);
  await stream.send({
    body: 'hello',
    hello: { protocol: 1, region, version, capabilities: ['PING', 'TCP', 'DNS'], epoch: '', bootId: 'boot' },
  });
  const first = await Promise.race([welcome, ended]);
  if (first === undefined || first instanceof Error) {
    await stream.close();
    throw first ?? new Error('the stream ended without a welcome');
  }
  // What did not end the stream is the welcome.
  return talk(stream, first as Welcome, acks, others, ended);
}

function talk(
  stream: AgentStream,
  welcome: Welcome,
  acks: Map<number, (ack: Ack) => void>,
  others: (CollectorMessage | UnknownMessage)[],
  ended: Promise<unknown>,
): WireAgent {
  let next = 1;
  const acknowledged = async (batch: number, rows: number, send: () => Promise<void>): Promise<AnsweredRow[]> => {
    const ack = new Promise<Ack>((resolve) => acks.set(batch, resolve));
    await send();
    const answer = await Promise.race([ack, ended.then(refuse)]);
    return decodeAck(answer, rows);
  };
  const sendBatch = (batch: ResultBatch): Promise<AnsweredRow[]> =>
    acknowledged(batch.batch, batch.monitorId.length, () => stream.send({ body: 'results', results: batch }));
  return {
    welcome,
    stream,
    others,
    ended,
    sendBatch,
    send: (results, epoch = welcome.epoch) => sendBatch(encodeResults(next++, epoch, results)),
    absences(intervals) {
      const batch = next++;
      const absences = intervals.map(({ from, to, reason = 'test' }) => ({
        fromMinute: from / 60,
        toMinute: to / 60,
        reason,
      }));
      return acknowledged(batch, absences.length, () =>
        stream.send({ body: 'absences', absences: { batch, epoch: welcome.epoch, absences } }),
      );
    },
    close: () => stream.close(),
  };
}

function refuse(error: unknown): never {
  throw error instanceof Error ? error : new Error('the stream ended');
}

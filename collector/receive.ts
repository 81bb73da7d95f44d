import { floorMinute, MINUTE_SECONDS, type Minute } from '../core/minute.ts';
import { FIELD } from '../core/result-block.ts';
import type { Absence as RecordedAbsence } from '../db/absences.ts';
import type { EnrolledAgent } from '../db/agents.ts';
import { isTransient } from '../db/client.ts';
import { encodeAck, encodeAckOfAll, type AnsweredRow } from '../proto/ack-codec.ts';
import type { CollectorStream } from '../proto/collector-stream.ts';
import type { Absence, Absences, Ack, ResultBatch } from '../proto/messages.ts';
import { decodeResults } from '../proto/results-codec.ts';
import type { Coalescer } from './coalescer.ts';
import type { DatabaseView } from './database-state.ts';
import { completeAnswers, judgeRows } from './intake.ts';
import type { RevisionBook } from './revision-book.ts';
import type { Tally } from './tally.ts';

/** How far an agent's clock may be ahead of ours where both do their best. */
const OFFSET_TOLERANCE_SECONDS = 2;
/** More absences than these make no sense in one message. */
const MAX_ABSENCES = 10_000;
const MAX_REASON_LENGTH = 200;

/** What receiving a batch needs of the rest of the collector. */
export interface ReceiveParts {
  database: DatabaseView;
  book: RevisionBook;
  coalescer: Coalescer;
  tally: Tally;
  /** The first minute whose regional results are still kept. */
  oldestMinute: () => Minute;
  recordAbsences: (absences: readonly RecordedAbsence[]) => Promise<void>;
  /** Told of each batch that cannot be read, and why. */
  malformed: (reason: string) => void;
}

/** Resolves when the batch has found room in memory; `acknowledged` resolves when its answer has been sent. */
export async function handleResults(
  message: ResultBatch,
  agent: EnrolledAgent,
  stream: CollectorStream,
  parts: ReceiveParts,
): Promise<{ acknowledged: Promise<void> }> {
  // What waits for the commit must not keep the message: it is the largest thing there is of a batch.
  const { batch, epoch } = message;
  const count = message.monitorId.length;
  const answerAll = (answer: AnsweredRow): { acknowledged: Promise<void> } => {
    parts.tally.countAll(answer, count);
    return { acknowledged: acknowledge(stream, encodeAckOfAll(batch, parts.database.nowUs(), answer)) };
  };
  if (epoch !== parts.database.current().epoch) return answerAll({ answer: 'dropped', reason: 'epoch' });
  const decoded = decodeResults(message, { regionId: agent.regionId, agentId: agent.id });
  if ('malformed' in decoded) {
    parts.malformed(decoded.malformed);
    return answerAll({ answer: 'dropped', reason: `malformed: ${decoded.malformed}` });
  }
  const { results, faults } = decoded;
  let revisions;
  try {
    revisions = await parts.book.look(results.column(FIELD.monitorId), results.column(FIELD.revision));
  } catch (error) {
    if (!isTransient(error)) throw error;
    return answerAll({ answer: 'retry', reason: 'database' });
  }
  const { store, answers } = judgeRows(results, faults, {
    oldest: parts.oldestMinute(),
    newest: floorMinute(parts.database.nowUs() / 1e6 + OFFSET_TOLERANCE_SECONDS),
    revisions,
  });
  const { answers: stored } = await parts.coalescer.admit(store);
  const finish = async (): Promise<void> => {
    const complete = completeAnswers(answers, await stored);
    parts.tally.count(complete);
    await acknowledge(stream, encodeAck(batch, parts.database.nowUs(), complete));
  };
  return { acknowledged: finish() };
}

/** An acknowledgement that finds its stream over is not sent: the agent sends the batch again. */
async function acknowledge(stream: CollectorStream, ack: Ack): Promise<void> {
  if (stream.over.aborted) return;
  try {
    await stream.send({ body: 'ack', ack });
  } catch (error) {
    if (!stream.over.aborted) throw error;
  }
}

/** Records an agent's absences and acknowledges them, each by itself. */
export async function handleAbsences(
  message: Absences,
  agent: EnrolledAgent,
  stream: CollectorStream,
  parts: ReceiveParts,
): Promise<void> {
  const answerAll = (answer: AnsweredRow): Promise<void> => {
    parts.tally.countAll(answer, message.absences.length);
    return acknowledge(stream, encodeAckOfAll(message.batch, parts.database.nowUs(), answer));
  };
  if (message.epoch !== parts.database.current().epoch) return answerAll({ answer: 'dropped', reason: 'epoch' });
  if (message.absences.length > MAX_ABSENCES) return answerAll({ answer: 'dropped', reason: 'malformed: too many' });
  const limits = { oldest: parts.oldestMinute(), nowSeconds: parts.database.nowUs() / 1e6 };
  const intervals = message.absences.map((absence) => readAbsence(absence, agent.id, limits));
  try {
    await parts.recordAbsences(intervals.filter((interval) => typeof interval !== 'string'));
  } catch (error) {
    if (!isTransient(error)) throw error;
    return answerAll({ answer: 'retry', reason: 'database' });
  }
  const answers = intervals.map((interval): AnsweredRow =>
    typeof interval === 'string' ? { answer: 'dropped', reason: interval } : STORED,
  );
  parts.tally.count(answers);
  await acknowledge(stream, encodeAck(message.batch, parts.database.nowUs(), answers));
}

const STORED: AnsweredRow = { answer: 'stored', reason: null };

/**
 * What is recorded of an absence: nothing from before the minutes that are kept (an agent's first one begins with time
 * itself). Else why it is not: it is empty, reaches beyond the minute that follows this one, or is over for so long.
 */
function readAbsence(
  absence: Absence,
  agentId: number,
  { oldest, nowSeconds }: { oldest: Minute; nowSeconds: number },
): RecordedAbsence | 'invalid: absence' | 'too old' {
  const from = Math.max(absence.fromMinute * MINUTE_SECONDS, oldest);
  const to = absence.toMinute * MINUTE_SECONDS;
  const newest = floorMinute(nowSeconds + OFFSET_TOLERANCE_SECONDS) + MINUTE_SECONDS;
  if (absence.fromMinute >= absence.toMinute || to > newest) return 'invalid: absence';
  if (from >= to) return 'too old';
  const reason = absence.reason.slice(0, MAX_REASON_LENGTH).replaceAll('\0', '\ufffd');
  return { agentId, range: { from, to }, reason: reason === '' ? 'unknown' : reason };
}

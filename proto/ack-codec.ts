import { ROW_ANSWERS, type RowAnswer } from '../core/result.ts';
import { createDictionary } from './results-codec.ts';
import type { Ack } from './messages.ts';

/** What became of one row; dropped and retried ones carry a reason, `word` or `word: detail`. */
export interface AnsweredRow {
  answer: RowAnswer;
  reason: string | null;
}

const STORED: AnsweredRow = { answer: 'stored', reason: null };

/** Acknowledges a batch row by row. `clockUs`: the database's clock, unix microseconds. */
export function encodeAck(batch: number, clockUs: number, rows: readonly AnsweredRow[]): Ack {
  const ack = emptyAck(batch, clockUs);
  const reasons = createDictionary();
  rows.forEach(({ answer, reason }, row) => {
    if (answer === 'stored') return;
    ack.row.push(row);
    ack.answer.push(ROW_ANSWERS.indexOf(answer));
    ack.reason.push(reasons.indexOf(reason));
  });
  ack.reasons = reasons.texts;
  return ack;
}

/** Acknowledges a batch with one answer for all its rows, however many they are. */
export function encodeAckOfAll(batch: number, clockUs: number, { answer, reason }: AnsweredRow): Ack {
  const ack = emptyAck(batch, clockUs);
  ack.rest = ROW_ANSWERS.indexOf(answer);
  if (reason !== null) {
    ack.reasons.push(reason);
    ack.restReason = 1;
  }
  return ack;
}

/**
 * The answer of each of a batch's `count` rows. An answer this side does not know is `retry`: the row is kept, not lost.
 */
export function decodeAck(ack: Ack, count: number): AnsweredRow[] {
  const reasonAt = (index: number): string | null => ack.reasons[index - 1] ?? null;
  const answerOf = (code: number | undefined): RowAnswer => ROW_ANSWERS[code ?? -1] ?? 'retry';
  const rest = ack.rest === 0 ? STORED : { answer: answerOf(ack.rest), reason: reasonAt(ack.restReason) };
  const rows = new Array<AnsweredRow>(count).fill(rest);
  ack.row.forEach((row, index) => {
    if (row < count) rows[row] = { answer: answerOf(ack.answer[index]), reason: reasonAt(ack.reason[index] ?? 0) };
  });
  return rows;
}

function emptyAck(batch: number, clockUs: number): Ack {
  return { batch, clockUs, row: [], answer: [], reason: [], reasons: [], rest: 0, restReason: 0 };
}

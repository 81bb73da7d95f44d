import type { Minute } from '../core/minute.ts';
import { STATUS_CODE, unknownOutcome } from '../core/outcome.ts';
import { FIELD, type ResultBlock } from '../core/result-block.ts';
import type { MonitorRevisions } from '../db/definitions.ts';
import type { AnsweredRow } from '../proto/ack-codec.ts';
import { revisionHolds } from './revision-book.ts';

/** By what a batch's results are judged before they are stored. */
export interface IntakeRules {
  /** Regional results before this minute are no longer kept. */
  oldest: Minute;
  /** Minutes after this one have not begun, whatever the offset between the clocks. */
  newest: Minute;
  /** Of each result's monitor, in their order. */
  revisions: readonly MonitorRevisions[];
}

/** What to store, and the answers of all rows; `null` marks one that waits for the answer of what is stored. */
export interface JudgedBatch {
  store: ResultBlock;
  answers: (AnsweredRow | null)[];
}

/**
 * Judges each row of a batch by itself, so that one bad row never holds up the others. `faults` says of rows that are
 * not among the results why. A result of a revision that did not hold is changed to one that says so.
 */
export function judgeRows(results: ResultBlock, faults: ReadonlyMap<number, string>, rules: IntakeRules): JudgedBatch {
  const answers: (AnsweredRow | null)[] = [];
  const kept: number[] = [];
  for (let row = 0; row < results.length; row++) {
    pushFaults(answers, faults);
    const refusal = judgeRow(results, row, rules);
    answers.push(refusal);
    if (refusal === null) kept.push(row);
  }
  pushFaults(answers, faults);
  return { store: kept.length === results.length ? results : results.pick(kept), answers };
}

/** The answers of the rows that come next and are no results. */
function pushFaults(answers: (AnsweredRow | null)[], faults: ReadonlyMap<number, string>): void {
  for (let fault = faults.get(answers.length); fault !== undefined; fault = faults.get(answers.length))
    answers.push({ answer: 'dropped', reason: `invalid: ${fault}` });
}

/** Puts the answers of what was stored into their places. */
export function completeAnswers(
  answers: readonly (AnsweredRow | null)[],
  stored: readonly AnsweredRow[],
): AnsweredRow[] {
  let next = 0;
  return answers.map((answer) => answer ?? stored[next++] ?? KEEP);
}

const FUTURE: AnsweredRow = { answer: 'retry', reason: 'future' };
/** Every stored row has its answer; one without would be kept, not lost. */
const KEEP: AnsweredRow = { answer: 'retry', reason: null };
const TOO_OLD: AnsweredRow = { answer: 'dropped', reason: 'too old' };
const DELETED: AnsweredRow = { answer: 'dropped', reason: 'deleted' };
const UNKNOWN_MONITOR: AnsweredRow = { answer: 'dropped', reason: 'unknown monitor' };

/** Why a result is not stored; null where it is. */
function judgeRow(results: ResultBlock, row: number, { oldest, newest, revisions }: IntakeRules): AnsweredRow | null {
  const minute = results.minute(row);
  if (minute > newest) return FUTURE;
  if (minute < oldest) return TOO_OLD;
  const monitor = revisions[row];
  if (monitor === undefined || monitor.state === 'never existed') return UNKNOWN_MONITOR;
  if (monitor.state === 'deleted') return DELETED;
  if (results.number(row, FIELD.status) === STATUS_CODE.UNKNOWN) return null;
  const revision = results.number(row, FIELD.revision);
  // What it says was measured of something else: no vote, but the minute was not silent either.
  if (!revisionHolds(monitor.revisions, revision, minute))
    results.setOutcome(row, unknownOutcome('stale', `measured under revision ${revision}`));
  return null;
}

import type { Minute } from '../core/minute.ts';
import { unknownOutcome } from '../core/outcome.ts';
import type { CheckResult, RegionalResult } from '../core/result.ts';
import type { MonitorRevisions } from '../db/definitions.ts';
import type { AnsweredRow } from '../proto/ack-codec.ts';
import type { InvalidRow } from '../proto/results-codec.ts';
import { revisionHolds } from './revision-book.ts';

/** By what a batch's rows are judged before they are stored. */
export interface IntakeRules {
  agentId: number;
  regionId: number;
  /** Regional results before this minute are no longer kept. */
  oldest: Minute;
  /** Minutes after this one have not begun, whatever the offset between the clocks. */
  newest: Minute;
  revisions: ReadonlyMap<number, MonitorRevisions>;
}

/** What to store, and the answers of all rows; `null` marks one that waits for the answer of what is stored. */
export interface JudgedBatch {
  store: RegionalResult[];
  answers: (AnsweredRow | null)[];
}

/** Judges each row by itself, so that one bad row never holds up the others. */
export function judgeRows(rows: readonly (CheckResult | InvalidRow)[], rules: IntakeRules): JudgedBatch {
  const store: RegionalResult[] = [];
  const answers = rows.map((row) => {
    const verdict = judgeRow(row, rules);
    if ('answer' in verdict) return verdict;
    store.push(verdict);
    return null;
  });
  return { store, answers };
}

/** Puts the answers of what was stored into their places. */
export function completeAnswers(judged: JudgedBatch, stored: readonly AnsweredRow[]): AnsweredRow[] {
  let next = 0;
  return judged.answers.map((answer) => answer ?? stored[next++] ?? KEEP);
}

const FUTURE: AnsweredRow = { answer: 'retry', reason: 'future' };
/** Every stored row has its answer; one without would be kept, not lost. */
const KEEP: AnsweredRow = { answer: 'retry', reason: null };
const TOO_OLD: AnsweredRow = { answer: 'dropped', reason: 'too old' };
const DELETED: AnsweredRow = { answer: 'dropped', reason: 'deleted' };
const UNKNOWN_MONITOR: AnsweredRow = { answer: 'dropped', reason: 'unknown monitor' };

function judgeRow(row: CheckResult | InvalidRow, rules: IntakeRules): AnsweredRow | RegionalResult {
  if ('invalid' in row) return { answer: 'dropped', reason: `invalid: ${row.invalid}` };
  if (row.minute > rules.newest) return FUTURE;
  if (row.minute < rules.oldest) return TOO_OLD;
  const monitor = rules.revisions.get(row.monitorId);
  if (monitor === undefined || monitor.state === 'never existed') return UNKNOWN_MONITOR;
  if (monitor.state === 'deleted') return DELETED;
  const result = placeRow(row, rules);
  if (row.status === 'UNKNOWN' || revisionHolds(monitor.revisions, row.revision, row.minute)) return result;
  // What it says was measured of something else: no vote, but the minute was not silent either.
  return { ...result, ...unknownOutcome('stale', `measured under revision ${row.revision}`) };
}

/** Field by field: a spread costs several times as much, and this is done for every result there is. */
function placeRow(row: CheckResult, { agentId, regionId }: IntakeRules): RegionalResult {
  const { monitorId, minute, revision, status, cause, origin, latencyUs, error, packets } = row;
  return { monitorId, minute, revision, status, cause, origin, latencyUs, error, packets, agentId, regionId };
}

import type { AnsweredRow } from '../proto/ack-codec.ts';

/** Counts rows by answer and by the first word of its reason: nothing is dropped silently. */
export interface Tally {
  count(rows: readonly AnsweredRow[]): void;
  countAll(answer: AnsweredRow, rows: number): void;
  /** Rows so far by `answer` or `answer reason`. */
  totals(): Record<string, number>;
  /** The same, apart; no reason is an empty one. */
  entries(): (readonly [{ answer: string; reason: string }, number])[];
}

export function createTally(): Tally {
  const totals = new Map<string, number>();
  const add = ({ answer, reason }: AnsweredRow, rows: number): void => {
    const name = reason === null ? answer : `${answer} ${reason.split(':', 1)[0]}`;
    totals.set(name, (totals.get(name) ?? 0) + rows);
  };
  return {
    count(rows) {
      // Rows in a row mostly have the same answer.
      let from = 0;
      rows.forEach((row, at) => {
        if (row === rows[at + 1]) return;
        add(row, at + 1 - from);
        from = at + 1;
      });
    },
    countAll: add,
    totals: () => Object.fromEntries(totals),
    entries: () =>
      Array.from(totals, ([name, rows]) => {
        const [answer = '', ...reason] = name.split(' ');
        return [{ answer, reason: reason.join(' ') }, rows];
      }),
  };
}

import { consolidate, type Point, type Quorum } from '../../../core/consolidate.ts';
import type { Minute } from '../../../core/minute.ts';
import { mergeResults, type RegionalResult } from '../../../core/result.ts';

/** What judges a monitor's minutes from one on: the model's own copy of monitor_versions. */
export interface Rule {
  fromMinute: Minute;
  active: boolean;
  quorum: Quorum;
  /** null: every region. */
  regions: number[] | null;
}

/** What must stand at the end, kept beside the database by the plainest means. */
export class Ledger {
  readonly #results = new Map<string, RegionalResult>();
  readonly #rules = new Map<number, Rule[]>();
  readonly #enrolled: readonly number[];

  constructor(enrolled: readonly number[]) {
    this.#enrolled = enrolled;
  }

  addRule(monitorId: number, rule: Rule): void {
    this.#rules.set(monitorId, [...(this.#rules.get(monitorId) ?? []), rule]);
  }

  write(rows: readonly RegionalResult[]): void {
    for (const row of rows) {
      const key = `${row.monitorId} ${row.minute} ${row.regionId}`;
      const stood = this.#results.get(key);
      this.#results.set(key, stood ? mergeResults(stood, row) : row);
    }
  }

  forget(monitorId: number): void {
    for (const [key, row] of this.#results) if (row.monitorId === monitorId) this.#results.delete(key);
  }

  results(): Map<string, RegionalResult> {
    return this.#results;
  }

  /** The point of one pair; null where there is none. */
  point(monitorId: number, minute: Minute): Point | null {
    const rule = this.#rules.get(monitorId)?.findLast(({ fromMinute }) => fromMinute <= minute);
    if (!rule?.active) return null;
    const votes = [...this.#results.values()].filter(
      (row) =>
        row.monitorId === monitorId &&
        row.minute === minute &&
        (rule.regions === null || rule.regions.includes(row.regionId)),
    );
    const knows = votes.filter(({ status }) => status !== 'UNKNOWN').map(({ regionId }) => regionId);
    const runs = new Set([...this.#enrolled.filter((id) => rule.regions?.includes(id) ?? true), ...knows]);
    return consolidate(votes, rule.quorum, runs.size);
  }
}

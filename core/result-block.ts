import { MINUTE_SECONDS, type Minute } from './minute.ts';
import { CAUSE_CODE, ORIGIN_CODE, STATUS_CODE, type CheckOrigin, type Outcome, type PacketStats } from './outcome.ts';
import type { RegionalResult } from './result.ts';

/** The numbers of a result, in their order. Minutes are counted (unix seconds / 60), the closed lists are codes. */
export const FIELD = {
  monitorId: 0,
  minute: 1,
  regionId: 2,
  agentId: 3,
  revision: 4,
  status: 5,
  cause: 6,
  origin: 7,
  latencyUs: 8,
  sent: 9,
  received: 10,
  minUs: 11,
  avgUs: 12,
  maxUs: 13,
  deviationUs: 14,
} as const;
export type Field = (typeof FIELD)[keyof typeof FIELD];
const ALL_FIELDS = Object.values(FIELD);
/** How many numbers a result has. */
export const FIELDS = ALL_FIELDS.length;
/** Stands where a result has no such number; none of them is negative. */
export const NONE = -1;

/**
 * Regional results side by side: fifteen integers and a text for each, in two arrays however many they are. A collector
 * takes a hundred thousand a second, and as objects they would cost more to collect as garbage than to store.
 */
export class ResultBlock {
  /** `FIELDS` for each result, one result after the other. */
  readonly numbers: Int32Array;
  readonly errors: (string | null)[];

  /** Takes the arrays as they are. */
  constructor(numbers: Int32Array, errors: (string | null)[]) {
    this.numbers = numbers;
    this.errors = errors;
  }

  /** How many results there are. */
  get length(): number {
    return this.errors.length;
  }

  static of(results: readonly RegionalResult[]): ResultBlock {
    const block = ResultBlock.ofLength(results.length);
    results.forEach((result, row) => {
      const { monitorId, minute, regionId, agentId, revision } = result;
      block.numbers.set([monitorId, minute / MINUTE_SECONDS, regionId, agentId, revision], row * FIELDS);
      block.setOutcome(row, result);
    });
    return block;
  }

  /** The results of all `blocks`, one block after the other. */
  static join(blocks: readonly ResultBlock[]): ResultBlock {
    const errors = blocks.flatMap((block) => block.errors);
    const numbers = new Int32Array(errors.length * FIELDS);
    let at = 0;
    for (const block of blocks) {
      numbers.set(block.numbers, at);
      at += block.numbers.length;
    }
    return new ResultBlock(numbers, errors);
  }

  private static ofLength(length: number): ResultBlock {
    return new ResultBlock(new Int32Array(length * FIELDS), new Array<string | null>(length).fill(null));
  }

  /** One number of one result, or `NONE`. */
  number(row: number, field: Field): number {
    return this.numbers[row * FIELDS + field] ?? NONE;
  }

  /** The places of the results: 0, 1, 2 and so on. */
  rows(): number[] {
    return Array.from(this.errors.keys());
  }

  /** One number of every result. */
  column(field: Field): number[] {
    return this.errors.map((_, row) => this.number(row, field));
  }

  minute(row: number): Minute {
    return this.number(row, FIELD.minute) * MINUTE_SECONDS;
  }

  /** The results at `rows`, in that order. */
  pick(rows: readonly number[]): ResultBlock {
    const picked = ResultBlock.ofLength(rows.length);
    let at = 0;
    rows.forEach((row, to) => {
      for (const field of ALL_FIELDS) picked.numbers[at++] = this.number(row, field);
      picked.errors[to] = this.errors[row] ?? null;
    });
    return picked;
  }

  /** Replaces what a result says, and leaves who says it of what. */
  setOutcome(row: number, { status, cause, origin, latencyUs, packets, error }: Outcome): void {
    const { sent, received, minUs, avgUs, maxUs, deviationUs } = packets ?? NO_PACKETS;
    const measured = [latencyUs, sent, received, minUs, avgUs, maxUs, deviationUs].map((number) => number ?? NONE);
    this.numbers.set(
      [STATUS_CODE[status], CAUSE_CODE[cause], ORIGIN_CODE[origin], ...measured],
      row * FIELDS + FIELD.status,
    );
    this.errors[row] = error;
  }

  /** One result by itself. */
  result(row: number): RegionalResult {
    const absentOr = (field: Field): number | null =>
      this.number(row, field) === NONE ? null : this.number(row, field);
    const sent = absentOr(FIELD.sent);
    return {
      monitorId: this.number(row, FIELD.monitorId),
      minute: this.minute(row),
      regionId: this.number(row, FIELD.regionId),
      agentId: this.number(row, FIELD.agentId),
      revision: this.number(row, FIELD.revision),
      status: nameOf(STATUS_CODE, this.number(row, FIELD.status)),
      cause: nameOf(CAUSE_CODE, this.number(row, FIELD.cause)),
      // No agent says MANUAL.
      origin: nameOf(ORIGIN_CODE, this.number(row, FIELD.origin)) as CheckOrigin,
      latencyUs: absentOr(FIELD.latencyUs),
      error: this.errors[row] ?? null,
      packets:
        sent === null
          ? null
          : {
              sent,
              received: this.number(row, FIELD.received),
              minUs: absentOr(FIELD.minUs),
              avgUs: absentOr(FIELD.avgUs),
              maxUs: absentOr(FIELD.maxUs),
              deviationUs: absentOr(FIELD.deviationUs),
            },
    };
  }
}

const NO_PACKETS: Record<keyof PacketStats, null> = {
  sent: null,
  received: null,
  minUs: null,
  avgUs: null,
  maxUs: null,
  deviationUs: null,
};

function nameOf<N extends string>(codes: Record<N, number>, code: number): N {
  // Object.keys forgets that the keys are the record's.
  const name = (Object.keys(codes) as N[]).find((key) => codes[key] === code);
  if (name === undefined) throw new RangeError(`no code: ${code}`);
  return name;
}

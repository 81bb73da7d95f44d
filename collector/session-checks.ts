import { checkReport, MAX_REPORT_LENGTH } from '../core/check-answer.ts';
import { parseJson } from '../core/json-text.ts';
import type { CheckFailure } from '../db/check-requests.ts';
import type { CollectorStream } from '../proto/collector-stream.ts';
import type { CheckAnswer } from '../proto/messages.ts';

/** Requests to one agent at a time: it runs fewer, and one that does not read must not fill memory. */
const MAX_PENDING = 8;
/** What an agent has less than the collector: its answer travels. */
const TRAVEL_MS = 1000;

/** What became of a run on demand: the report as it is stored, or why there is none. */
export type CheckEnd = { report: string } | { failure: CheckFailure };

/** The runs on demand of one agent's stream. */
export interface SessionChecks {
  /** Requests that are not answered. */
  readonly pending: number;
  /** Asks the agent, and waits for its answer for `withinMs`. Never rejects. */
  run(definition: string, withinMs: number): Promise<CheckEnd>;
  /** The agent has answered. An answer that nobody waits for is passed over. */
  answered(answer: CheckAnswer): void;
  /** The stream is over. */
  end(): void;
}

export function createSessionChecks(stream: Pick<CollectorStream, 'send'>): SessionChecks {
  const pending = new Map<string, (end: CheckEnd) => void>();
  let last = 0;
  let isOver = false;
  return {
    get pending() {
      return pending.size;
    },
    run(definition, withinMs) {
      if (isOver) return Promise.resolve({ failure: 'gone' });
      if (pending.size >= MAX_PENDING) return Promise.resolve({ failure: 'busy' });
      const requestId = String(++last);
      return new Promise((resolve) => {
        const settle = (end: CheckEnd): void => {
          clearTimeout(timer);
          pending.delete(requestId);
          resolve(end);
        };
        const timer = setTimeout(() => settle({ failure: 'late' }), withinMs);
        pending.set(requestId, settle);
        const deadlineMs = Math.max(1, Math.round(withinMs - TRAVEL_MS));
        stream
          .send({ body: 'checkRequest', checkRequest: { requestId, definition, deadlineMs } })
          .catch(() => settle({ failure: 'gone' }));
      });
    },
    answered: (answer) => pending.get(answer.requestId)?.(endOf(answer)),
    end() {
      isOver = true;
      for (const settle of [...pending.values()]) settle({ failure: 'gone' });
    },
  };
}

function endOf({ outcome, error }: CheckAnswer): CheckEnd {
  if (error !== '') {
    const word = error.split(':', 1)[0];
    return { failure: word === 'busy' || word === 'unsupported' ? word : 'failed' };
  }
  const report = outcome.length > MAX_REPORT_LENGTH ? undefined : checkReport.safeParse(parseJson(outcome)).data;
  return report === undefined ? { failure: 'failed' } : { report: JSON.stringify(report) };
}

import type { CheckFailure, OpenCheck } from '../db/check-requests.ts';
import type { Logger } from '../runtime/logger.ts';
import type { CheckEnd } from './session-checks.ts';

/** Who asked hears of the end before his own time is over. */
const SPARE_MS = 500;

/** An agent that could run a check. */
export interface CheckRunner {
  agentId: number;
  run: (definition: string, withinMs: number) => Promise<CheckEnd>;
}

export interface CheckDeskParts {
  /** The requests that nobody has claimed; of one id, or all. */
  listOpen: (id: number | null) => Promise<OpenCheck[]>;
  /** Returns the milliseconds until the request ends; null where it is another's, or nobody's any more. */
  claim: (id: number, agentId: number) => Promise<number | null>;
  answer: (id: number, agentId: number, end: CheckEnd) => Promise<void>;
  /** The connected agents that have a probe of this kind, in the region or (null) in any; the idlest first. */
  runners: (kind: string, regionId: number | null) => CheckRunner[];
  logger: Logger;
}

/** Takes requests for runs on demand that an agent of this collector can serve, and leaves the others to others. */
export interface CheckDesk {
  /** Looks for one request, or (null) for all that are open. */
  look(id: number | null): void;
}

export function createCheckDesk(parts: CheckDeskParts): CheckDesk {
  return {
    look(id) {
      takeOpen(parts, id).catch((error: unknown) => {
        // Whoever asked is told that nobody answered; what is still open is seen when the database is back.
        parts.logger.warn({ err: error }, 'requests for checks not taken');
      });
    },
  };
}

async function takeOpen(parts: CheckDeskParts, id: number | null): Promise<void> {
  const open = await parts.listOpen(id);
  await Promise.all(open.map((request) => serve(parts, request)));
}

async function serve(parts: CheckDeskParts, { id, kind, definition, regionId }: OpenCheck): Promise<void> {
  const runners = parts.runners(kind, regionId);
  const [first] = runners;
  if (first === undefined) return;
  const withinMs = await parts.claim(id, first.agentId);
  if (withinMs === null) return;
  const begun = performance.now();
  let agentId = first.agentId;
  let end: CheckEnd = { failure: 'gone' };
  for (const runner of runners) {
    const leftMs = withinMs - SPARE_MS - (performance.now() - begun);
    if (leftMs <= 0) break;
    agentId = runner.agentId;
    end = await runner.run(definition, leftMs);
    if (!('failure' in end) || !NEXT_MAY_DO.includes(end.failure)) break;
  }
  await parts.answer(id, agentId, end);
}

/** After these another agent is asked. */
const NEXT_MAY_DO: readonly CheckFailure[] = ['busy', 'gone'];

import { overlaps, type Ledger, type LedgerAgent, type SlotCase, type Span, type Stored } from './ledger.ts';

/**
 * What it takes at most until an agent knows that another one is gone: its way to NATS is back within five seconds, and
 * from then on six seconds of silence and three echoes of its own heartbeats count (decision 0025).
 */
const NOTICED_MS = 15_000;
/** Minutes are made up for until they are so old (decision 0025). */
const TAKEOVER_MS = 70_000;

/**
 * Whether a due slot without a result is accounted for as the documents say: every agent of the region was absent; or one
 * was, and none of those that were there could hear of it ("NATS away and an agent dead at once", Known limits).
 */
export function isExcused({ region, minute }: SlotCase, { agents }: Ledger, { absences }: Stored): boolean {
  const ours = agents.filter((agent) => agent.region === region);
  const isAbsent = ({ id }: LedgerAgent): boolean =>
    absences.some(({ agentId, from, to }) => agentId === id && from <= minute && minute < to);
  const [gone, there] = [ours.filter(isAbsent), ours.filter((agent) => !isAbsent(agent))];
  return there.length === 0 || gone.some((one) => there.every((other) => !couldNotice(other, one, minute)));
}

function couldNotice(agent: LedgerAgent, gone: LedgerAgent, minute: number): boolean {
  const left = gone.away.findLast(({ fromMs }) => fromMs < (minute + 60) * 1000);
  const within = { fromMs: left?.fromMs ?? -Infinity, toMs: minute * 1000 + TAKEOVER_MS };
  return longestClear(within, [...agent.deaf, ...agent.away]) >= NOTICED_MS;
}

/** The longest stretch of a span that none of these covers, milliseconds. */
function longestClear({ fromMs, toMs }: Span, covers: readonly Span[]): number {
  const inside = covers.filter((span) => overlaps(span, fromMs, toMs)).sort((a, b) => a.fromMs - b.fromMs);
  let at = fromMs;
  let longest = 0;
  for (const span of inside) {
    longest = Math.max(longest, span.fromMs - at);
    at = Math.max(at, span.toMs);
  }
  return Math.max(longest, toMs - at);
}

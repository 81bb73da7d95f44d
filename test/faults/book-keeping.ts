import type { Diary, Happening } from './diary.ts';
import { troublesOf } from './diary.ts';
import type { Ledger, LedgerAgent, Measured, Span } from './ledger.ts';
import type { Monitors } from './monitors.ts';
import { REGIONS, regionOf, type AgentName } from './names.ts';
import type { Fault } from './plan.ts';
import type { SpoolContent } from './spool-decoder.ts';

/** What a run has noted until now, as the judges want it. */
export interface Notes {
  from: number;
  to: number;
  monitors: Monitors;
  diary: Diary;
  agents: readonly { id: number; name: AgentName; bornMs: number; spool: SpoolContent }[];
}

/** An agent that was started again needs this long until it takes part. */
const RISE_MS = 5000;
/** A way to NATS that is open again is found within this time. */
const RECONNECT_MS = 5000;

export function keepBooks({ from, to, monitors, diary, agents }: Notes): Ledger {
  return {
    ...{ from, to, regions: REGIONS, monitors: monitors.book },
    targets: new Map(monitors.targets.map(({ log }) => [log.key, log])),
    troubles: troublesOf(diary.happenings),
    agents: agents.map((agent) => agentOf(agent, diary.happenings)),
  };
}

function agentOf({ id, name, bornMs, spool }: Notes['agents'][number], happenings: readonly Happening[]): LedgerAgent {
  const spans = (afterMs: number, isIt: (fault: Fault) => boolean): Span[] =>
    happenings.filter(({ fault }) => isIt(fault)).map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + afterMs }));
  const isAway = (fault: Fault): boolean =>
    (fault.kind === 'kill' || fault.kind === 'stop' || fault.kind === 'leave' || isDeadly(fault)) &&
    fault.victim === name;
  const isDeaf = (fault: Fault): boolean =>
    fault.kind === 'nats restart' ||
    (fault.kind === 'partition' && fault.from === name && fault.to === 'nats') ||
    (fault.kind === 'offline' && fault.victim === name);
  const isDiskless = (fault: Fault): boolean =>
    fault.kind === 'disk' && fault.victim === name && ['full', 'broken', 'read-only'].includes(fault.how);
  return {
    ...{ id, name, region: regionOf(name) },
    accepted: spool.results.map(placed),
    absences: spool.absences,
    away: [{ fromMs: -Infinity, toMs: bornMs }, ...spans(RISE_MS, isAway)],
    diskless: spans(0, isDiskless),
    deaf: spans(RECONNECT_MS, isDeaf),
  };
}

function isDeadly(fault: Fault): fault is Fault & { kind: 'disk' } {
  return fault.kind === 'disk' && fault.how === 'deadly';
}

/** A wall clock that was off by whole minutes, give or take so much, still named the seconds right. */
const NEAR_MS = 5000;

/** The true minute of a result that was placed by the wall clock; all processes of a machine share its monotonic clock. */
function placed({ provisional, ...row }: SpoolContent['results'][number]): Measured {
  if (provisional === null) return row;
  const trueOffsetMs = Date.now() - Number(process.hrtime.bigint() / 1_000_000n);
  const stepMs = trueOffsetMs - provisional.usedOffsetMs;
  const wholeMs = Math.round(stepMs / 60_000) * 60_000;
  if (Math.abs(stepMs - wholeMs) <= NEAR_MS) return { ...row, minute: row.minute + wholeMs / 1000 };
  return { ...row, minute: Math.floor((provisional.startedMs + trueOffsetMs) / 60_000) * 60 };
}

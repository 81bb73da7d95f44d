import type { Minute } from '../../core/minute.ts';
import { groupBy } from './group-by.ts';
import { nameSlot, overlaps, versionsAt } from './ledger.ts';
import type { Ledger, LedgerMonitor, Stored, StoredResult, TargetLog, Wrong } from './ledger.ts';

/** A slot is run in its minute, or by another agent until 70 s after its start; a check may take a few seconds. */
const LAST_CHECK_MS = 85_000;
/** Service clocks may be ahead by so much. */
const EARLY_MS = 1000;

/** Known results that nothing at their targets explains. */
export function judgeEvidence(ledger: Ledger, stored: Stored): Wrong[] {
  const byMonitor = groupBy(stored.results, ({ monitorId }) => monitorId);
  return ledger.monitors
    .filter(({ deleted }) => !deleted)
    .flatMap((monitor) => {
      const rows = byMonitor.get(monitor.id) ?? [];
      return [...judgeUp(monitor, rows, ledger), ...judgeDown(monitor, rows, ledger)];
    });
}

/** Each UP needs an answer that its target gave, and no answer serves two. */
function judgeUp(monitor: LedgerMonitor, rows: readonly StoredResult[], ledger: Ledger): Wrong[] {
  const spent = new Set<object>();
  const wrongs: Wrong[] = [];
  for (let minute = ledger.from; minute < ledger.to; minute += 60) {
    const up = rows.filter((row) => row.minute === minute && row.status === 'UP').length;
    const answers = targetsAt(monitor, minute, ledger).flatMap((target) => answersIn(target, minute));
    const fresh = answers.filter((answer) => !spent.has(answer)).slice(0, up);
    for (const answer of fresh) spent.add(answer);
    const where = nameSlot(monitor, minute);
    if (fresh.length < up)
      wrongs.push({
        kind: 'invented',
        text: `${where}: ${up} regions say UP, the target gave ${fresh.length} answers`,
      });
  }
  return wrongs;
}

/** Each DOWN, and each DEGRADED, needs a target that was not as it should be. */
function judgeDown(monitor: LedgerMonitor, rows: readonly StoredResult[], ledger: Ledger): Wrong[] {
  const down = rows.filter(
    ({ minute, status }) => minute >= ledger.from && minute < ledger.to && (status === 'DOWN' || status === 'DEGRADED'),
  );
  return down.flatMap(({ minute, region, status, error }): Wrong[] => {
    if (targetsAt(monitor, minute, ledger).some((target) => wasWrong(target, windowOf(minute)))) return [];
    const text = `${nameSlot(monitor, minute)}: ${region} says ${status} (${error}), the target was well`;
    return [{ kind: 'invented', text }];
  });
}

/** The targets that a monitor may have had in a minute. */
export function targetsAt(monitor: LedgerMonitor, minute: Minute, { targets }: Ledger): TargetLog[] {
  return versionsAt(monitor, minute).possible.flatMap(({ target }) => targets.get(target) ?? []);
}

function windowOf(minute: Minute): { fromMs: number; toMs: number } {
  return { fromMs: minute * 1000 - EARLY_MS, toMs: minute * 1000 + LAST_CHECK_MS };
}

/** Answers that a check of the minute may have had, the earliest first. */
function answersIn({ visits, outages }: TargetLog, minute: Minute): object[] {
  const { fromMs, toMs } = windowOf(minute);
  const seen = visits.filter(({ ms, answered }) => answered && ms >= fromMs && ms < toMs);
  // A port that closes takes along connections that the kernel had answered and nobody had seen.
  const closed = outages.filter((outage) => outage.fromMs >= fromMs && outage.fromMs < toMs);
  return [...seen, ...closed];
}

/** Whether a target was not as it should be at any moment of a span. */
export function wasWrong({ outages }: TargetLog, { fromMs, toMs }: { fromMs: number; toMs: number }): boolean {
  return outages.some((outage) => overlaps(outage, fromMs, toMs));
}

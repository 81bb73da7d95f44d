import type { Minute } from '../../core/minute.ts';
import type { Status } from '../../core/outcome.ts';
import { groupBy } from './group-by.ts';
import { overlaps, runsIn, nameSlot, versionsAt } from './ledger.ts';
import type { Ledger, LedgerAgent, Measured, SlotCase, Stored, StoredResult, Wrong } from './ledger.ts';
import { isExcused } from './excuses.ts';
import { judgeEvidence } from './judge-evidence.ts';

/** Known over UNKNOWN, then UP over DEGRADED over DOWN (architecture.md, "Writing"). Lower is stronger. */
const STRENGTH: Record<Status, number> = { UP: 1, DEGRADED: 2, DOWN: 3, UNKNOWN: 4 };
/** A result that was not written to the disk is delivered, or written after all, within this time. */
const HELD_MS = 130_000;
/** What happens before a minute and after it can still show in it. */
const BEFORE_MS = 20_000;
const AFTER_MS = 80_000;

/** Everything that is wrong with the stored results, by the ledger. */
export function judgeResults(ledger: Ledger, stored: Stored): Wrong[] {
  const slots = slotsOf(ledger, stored);
  return [
    ...[...slots].flatMap((slot) => judgeSlot(slot, ledger, stored)),
    ...judgeEvidence(ledger, stored),
    ...judgeStrangers(ledger, stored),
  ];
}

function* slotsOf(ledger: Ledger, stored: Stored): Generator<SlotCase> {
  const keyOf = (monitorId: number, region: string, minute: Minute): string => `${monitorId} ${region} ${minute}`;
  const storedBy = groupBy(stored.results, (row) => keyOf(row.monitorId, row.region, row.minute));
  const acceptedRows = ledger.agents.flatMap(({ id, region, accepted }) =>
    accepted.map((row) => ({ ...row, agentId: id, region })),
  );
  const acceptedBy = groupBy(acceptedRows, (row) => keyOf(row.monitorId, row.region, row.minute));
  for (const monitor of ledger.monitors) {
    for (let minute = ledger.from; minute < ledger.to; minute += 60) {
      const { possible, isSure } = versionsAt(monitor, minute);
      for (const region of ledger.regions) {
        const key = keyOf(monitor.id, region, minute);
        const runs = possible.map((version) => runsIn(version, region));
        yield {
          ...{ monitor, region, minute, possible },
          isDue: isSure && runs.every(Boolean),
          mayBeDue: runs.some(Boolean),
          accepted: acceptedBy.get(key) ?? [],
          stored: storedBy.get(key) ?? [],
        };
      }
    }
  }
}

function judgeSlot(slot: SlotCase, ledger: Ledger, stored: Stored): Wrong[] {
  const where = `${nameSlot(slot.monitor, slot.minute)} ${slot.region}`;
  const [row, ...more] = slot.stored;
  const say = (kind: Wrong['kind'], text: string): Wrong[] => [{ kind, text: `${where}: ${text}` }];
  if (slot.monitor.deleted) return row ? say('invented', 'its monitor was deleted, its result is there') : [];
  if (more.length > 0) return say('doubled', `${slot.stored.length} results`);
  if (row === undefined) return judgeAbsent(slot, ledger, stored).flatMap(({ kind, text }) => say(kind, text));
  return judgeStored(row, slot, ledger).flatMap(({ kind, text }) => say(kind, text));
}

function judgeAbsent(slot: SlotCase, ledger: Ledger, stored: Stored): Wrong[] {
  const [kept] = slot.accepted;
  if (kept !== undefined)
    return [{ kind: 'lost', text: `agent ${kept.agentId} kept ${describe(kept)}, nothing is stored` }];
  if (!slot.isDue || isExcused(slot, ledger, stored)) return [];
  return [{ kind: 'lost', text: 'it was due, and nobody says why it is not there' }];
}

function judgeStored(row: StoredResult, slot: SlotCase, ledger: Ledger): Wrong[] {
  const isKnown = row.status !== 'UNKNOWN';
  const wrongs: Wrong[] = [];
  if (isKnown && !slot.mayBeDue) wrongs.push({ kind: 'invented', text: `${describe(row)}, nobody was to measure it` });
  if (!isKept(row, slot) && !mayBeFromMemory(row, slot, ledger))
    wrongs.push({ kind: 'invented', text: `${describe(row)} is stored, agent ${row.agentId} never kept that` });
  const better = slot.accepted.find((one) => formsOf(one, slot).every((form) => isStronger(form, row)));
  if (better !== undefined)
    wrongs.push({ kind: 'lost', text: `agent ${better.agentId} kept ${describe(better)}, stored is ${describe(row)}` });
  if (!isKnown && isNeedless(row, slot, ledger))
    wrongs.push({ kind: 'unmeasured', text: `${row.error} while nothing was wrong in the region` });
  return wrongs;
}

/** A busy machine stalls processes without any fault of the run's. */
function isNeedless({ error }: StoredResult, slot: SlotCase, ledger: Ledger): boolean {
  return slot.isDue && isQuiet(slot, ledger) && !error?.startsWith('stalled');
}

function isKept(row: StoredResult, slot: SlotCase): boolean {
  return slot.accepted.some((one) => formsOf(one, slot).some((form) => isSame(form, row)));
}

/** How an accepted result may be stored: one of a revision that does not hold says so, and nothing else. */
function formsOf<T extends Measured>(row: T, { possible }: SlotCase): T[] {
  const holds = possible.map(({ revision }) => revision === row.revision);
  if (row.status === 'UNKNOWN') return [row];
  const error = `stale: measured under revision ${row.revision}`;
  const stale: T = { ...row, status: 'UNKNOWN', latencyUs: null, sent: null, received: null, error };
  return [...(holds.some(Boolean) ? [row] : []), ...(holds.length > 0 && holds.every(Boolean) ? [] : [stale])];
}

function isSame(a: Measured & { agentId: number }, b: Measured & { agentId: number }): boolean {
  return (
    a.agentId === b.agentId &&
    a.revision === b.revision &&
    a.status === b.status &&
    a.latencyUs === b.latencyUs &&
    a.error === b.error &&
    a.sent === b.sent &&
    a.received === b.received
  );
}

function isStronger(a: Measured & { agentId: number }, b: StoredResult): boolean {
  const difference = STRENGTH[a.status] - STRENGTH[b.status];
  return difference < 0 || (difference === 0 && a.agentId < b.agentId);
}

function mayBeFromMemory(row: StoredResult, { minute }: SlotCase, { agents }: Ledger): boolean {
  const agent = agents.find(({ id }) => id === row.agentId);
  return agent?.diskless.some((span) => overlaps(span, minute * 1000, minute * 1000 + HELD_MS)) ?? false;
}

function isQuiet({ region, minute }: SlotCase, { troubles }: Ledger): boolean {
  const [fromMs, toMs] = [minute * 1000 - BEFORE_MS, minute * 1000 + AFTER_MS];
  return !troubles.some((trouble) => trouble.regions.includes(region) && overlaps(trouble, fromMs, toMs));
}

/** Results of monitors, regions, minutes or agents that the run knows nothing of. */
function judgeStrangers(ledger: Ledger, stored: Stored): Wrong[] {
  const monitors = new Map(ledger.monitors.map((monitor) => [monitor.id, monitor]));
  const homes = new Map(ledger.agents.map(({ id, region }: LedgerAgent) => [id, region]));
  return stored.results.flatMap((row): Wrong[] => {
    if (row.minute >= ledger.to) return [];
    const monitor = monitors.get(row.monitorId);
    const isAsked =
      monitor !== undefined && (row.minute >= ledger.from || versionsAt(monitor, row.minute).possible.length > 0);
    const isStrange = !isAsked || homes.get(row.agentId) !== row.region;
    const text = `monitor ${row.monitorId} ${row.region} ${row.minute}: ${describe(row)} by agent ${row.agentId}`;
    return isStrange ? [{ kind: 'invented', text: `${text}, which nobody asked for` }] : [];
  });
}

function describe({ status, latencyUs, error, revision }: Measured): string {
  return `${status} (${error ?? `${latencyUs} us`}, revision ${revision})`;
}

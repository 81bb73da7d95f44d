import { groupBy } from './group-by.ts';
import { nameSlot, versionsAt } from './ledger.ts';
import type { Ledger, LedgerMonitor, MonitorVersion, Stored, StoredPoint, StoredResult, Wrong } from './ledger.ts';
import { targetsAt, wasWrong } from './judge-evidence.ts';

/** Everything that is wrong with the stored points: each must be what the stored results amount to. */
export function judgePoints(ledger: Ledger, stored: Stored): Wrong[] {
  const keyOf = ({ monitorId, minute }: { monitorId: number; minute: number }): string => `${monitorId} ${minute}`;
  const results = groupBy(stored.results, keyOf);
  const points = groupBy(stored.points, keyOf);
  const known = new Map(ledger.monitors.map((monitor) => [monitor.id, monitor]));
  const strange = stored.points.filter(({ monitorId, minute }) => {
    const monitor = known.get(monitorId);
    if (minute >= ledger.to) return false;
    return monitor === undefined || (minute < ledger.from && versionsAt(monitor, minute).possible.length === 0);
  });
  const wrongs: Wrong[] = strange.map((point) => ({
    kind: 'invented',
    text: `a point of monitor ${point.monitorId} at ${point.minute}, which nobody asked for`,
  }));
  for (const monitor of ledger.monitors) {
    for (let minute = ledger.from; minute < ledger.to; minute += 60) {
      const key = keyOf({ monitorId: monitor.id, minute });
      wrongs.push(
        ...judgePoint({ monitor, minute, votes: results.get(key) ?? [], points: points.get(key) ?? [] }, ledger),
      );
    }
  }
  return wrongs;
}

interface PointCase {
  monitor: LedgerMonitor;
  minute: number;
  votes: readonly StoredResult[];
  points: readonly StoredPoint[];
}

function judgePoint(one: PointCase, ledger: Ledger): Wrong[] {
  const { monitor, minute, points } = one;
  const where = nameSlot(monitor, minute);
  const [point = null, ...more] = points;
  if (monitor.deleted) return point ? [{ kind: 'invented', text: `${where}: a point of a deleted monitor` }] : [];
  if (more.length > 0) return [{ kind: 'doubled', text: `${where}: ${points.length} points` }];
  return [...judgeAmount(point, one, ledger), ...judgeFalseDown(point, one, ledger)];
}

function judgeAmount(point: StoredPoint | null, { monitor, minute, votes }: PointCase, { regions }: Ledger): Wrong[] {
  const { possible, isSure } = versionsAt(monitor, minute);
  const right = [...possible.map((version) => consolidated(votes, version, regions)), ...(isSure ? [] : [null])];
  if (right.some((one) => isSamePoint(one, point))) return [];
  const text = `the point is ${describe(point)}, its results amount to ${right.map(describe).join(' or ')}`;
  return [{ kind: point === null ? 'lost' : 'invented', text: `${nameSlot(monitor, minute)}: ${text}` }];
}

function judgeFalseDown(point: StoredPoint | null, { monitor, minute }: PointCase, ledger: Ledger): Wrong[] {
  if (point?.status !== 'DOWN') return [];
  const span = { fromMs: minute * 1000, toMs: minute * 1000 + 60_000 };
  if (targetsAt(monitor, minute, ledger).some((target) => wasWrong(target, span))) return [];
  return [{ kind: 'false DOWN', text: `${nameSlot(monitor, minute)}: the target answered the whole minute` }];
}

type Verdict = Pick<StoredPoint, 'status' | 'latencyUs' | 'known'>;

/** The rule of architecture.md ("Consolidation") in this file's own words; null: there is no point. */
export function consolidated(
  results: readonly Pick<StoredResult, 'region' | 'status' | 'latencyUs'>[],
  { active, regions, quorum }: Pick<MonitorVersion, 'active' | 'regions' | 'quorum'>,
  all: readonly string[],
): Verdict | null {
  const running = regions ?? all;
  const votes = results.filter(({ region, status }) => running.includes(region) && status !== 'UNKNOWN');
  if (!active || votes.length === 0) return null;
  const down = votes.filter(({ status }) => status === 'DOWN').length;
  const isUp = votes.every(({ status }) => status === 'UP');
  const status = isUp ? 'UP' : down >= needed(quorum, votes.length, running.length) ? 'DOWN' : 'DEGRADED';
  const reached = votes.filter((vote) => vote.status !== 'DOWN');
  const measured = (reached.length > 0 ? reached : votes).map(({ latencyUs }) => latencyUs ?? 0);
  const mean = measured.reduce((sum, one) => sum + one, 0) / measured.length;
  return { status, latencyUs: Math.round(mean), known: votes.length };
}

function needed(quorum: MonitorVersion['quorum'], known: number, running: number): number {
  if (quorum === 'any') return 1;
  if (typeof quorum === 'number') return Math.min(quorum, running);
  // One voice is not enough where there are two to be heard.
  return Math.max(quorum === 'all' ? known : Math.floor(known / 2) + 1, Math.min(2, running));
}

function isSamePoint(a: Verdict | null, b: Verdict | null): boolean {
  if (a === null || b === null) return a === b;
  return a.status === b.status && a.latencyUs === b.latencyUs && a.known === b.known;
}

function describe(point: Verdict | null): string {
  return point === null ? 'none' : `${point.status} ${point.latencyUs} us of ${point.known}`;
}

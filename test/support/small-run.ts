import type { Ledger, LedgerAgent, Measured, MonitorVersion, Stored, TargetLog } from '../faults/ledger.ts';

/** A run in which everything went well, small enough to be spoilt by hand: all of it may be written to. */
export interface SmallRun {
  ledger: Ledger & {
    monitors: { id: number; tag: string; versions: MonitorVersion[]; deleted: boolean }[];
    agents: Writable<LedgerAgent>[];
    targets: Map<string, TargetLog>;
    troubles: { fromMs: number; toMs: number; regions: string[] }[];
  };
  stored: { [K in keyof Stored]: Writable<Stored[K][number]>[] };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

export const FIRST = 1_800_000_000;
const MINUTES = [FIRST, FIRST + 60, FIRST + 120];
const REGIONS = ['eu', 'us'];

/** Two monitors in two regions for three minutes; agents 1 and 2 stand in eu, 3 and 4 in us; odd ones measure. */
export function smallRun(): SmallRun {
  const agents = [1, 2, 3, 4].map((id): Writable<LedgerAgent> => ({
    ...{ id, name: `agent-${id}`, region: id <= 2 ? 'eu' : 'us' },
    ...{ accepted: [], absences: [], away: [], diskless: [], deaf: [] },
  }));
  const monitors = [1, 2].map((id) => ({
    id,
    tag: `m${id}`,
    versions: [versionOf(1, FIRST, `t${id}`)],
    deleted: false,
  }));
  const targets = new Map(['t1', 't2'].map((key): [string, TargetLog] => [key, { key, visits: [], outages: [] }]));
  const stored: SmallRun['stored'] = { results: [], points: [], absences: [] };
  for (const { id } of monitors) {
    for (const minute of MINUTES) {
      for (const region of REGIONS) {
        const agent = agents.find((one) => one.region === region);
        const row = rowOf(id, minute);
        agent?.accepted.push({ ...row });
        stored.results.push({ ...row, region, agentId: agent?.id ?? 0 });
        targets.get(`t${id}`)?.visits.push({ ms: (minute + 20) * 1000, answered: true });
      }
      stored.points.push({ monitorId: id, minute, status: 'UP', latencyUs: 500, known: 2 });
    }
  }
  const ledger = { from: FIRST, to: FIRST + 180, regions: REGIONS, monitors, agents, targets, troubles: [] };
  return { ledger, stored };
}

export function versionOf(revision: number, from: number, target: string): MonitorVersion {
  const always = { active: true, regions: null, quorum: 'majority' as const };
  return { revision, earliest: from, latest: from, ...always, target };
}

export function rowOf(monitorId: number, minute: number): Measured {
  const nothing = { error: null, sent: null, received: null };
  return { monitorId, minute, revision: 1, status: 'UP', latencyUs: 500, ...nothing };
}

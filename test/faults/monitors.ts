import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, Rest } from '../support/rest.ts';
import type { LedgerMonitor, MonitorVersion } from './ledger.ts';
import { REGIONS } from './names.ts';
import type { Edit } from './plan.ts';
import type { Target, Targets } from './targets.ts';

/** The monitors of a run, made and edited through the REST API, and what each was to be in every minute. */
export interface Monitors {
  readonly book: readonly LedgerMonitor[];
  create(kind: Target['check']['monitor_type'], settings?: Settings): Promise<void>;
  /** Returns what was done, in a few words. */
  edit(index: number, edit: Edit): Promise<string>;
  /** The target of the n-th monitor that can be made to fail, of those there are now. */
  failing(index: number): Target;
  /** Forgets nothing: every target that any monitor ever had. */
  readonly targets: readonly Target[];
}

type Settings = Partial<Pick<MonitorVersion, 'regions' | 'quorum'>>;

interface Kept extends LedgerMonitor {
  versions: MonitorVersion[];
  deleted: boolean;
  target: Target;
}

/** A change holds from the next minute; one made in a minute's last two seconds from the one after (architecture.md). */
const NOTICE_MS = 2000;
const EDIT_MS = 90_000;

export function openMonitors(rest: Rest, targets: Targets): Monitors {
  const kept: Kept[] = [];
  const all: Target[] = [];
  const alive = (): Kept[] => kept.filter(({ deleted }) => !deleted);
  const addTarget = async (kind: Target['check']['monitor_type']): Promise<Target> => {
    const target = await targets.add(kind);
    all.push(target);
    return target;
  };
  // One after the other: what an edit has come to is known before the next one begins.
  let turns: Promise<unknown> = Promise.resolve();
  const monitors: Monitors = {
    book: kept,
    targets: all,
    async create(kind, { regions = null, quorum = 'majority' } = {}) {
      const target = await addTarget(kind);
      const tag = `${target.log.key}`;
      const body = { tag, name: tag, ...target.check, monitor_settings_json: { regions, quorum } };
      const make = async (): Promise<Answer<Created>> => {
        const made = await rest.call<Created>('POST', '/monitors', body);
        // A try before this one may have made it, though its answer never came.
        return made.status === 400 ? rest.call<Created>('GET', `/monitors/${tag}`) : made;
      };
      const { answer, earliest, latest } = await bracketed(make, 201, 200);
      const version = { revision: 1, earliest, latest, active: true, regions, quorum, target: target.log.key };
      kept.push({ id: answer.monitor.id, tag, versions: [version], deleted: false, target });
    },
    edit(index, edit) {
      const turn = turns.then(() => editNow(index, edit));
      turns = turn.catch(() => undefined);
      return turn;
    },
    failing: (index) =>
      pick(
        alive().filter(({ target }) => target.fail !== null),
        index,
      ).target,
  };
  const editNow = async (index: number, edit: Edit): Promise<string> => {
    if (edit === 'create') {
      await monitors.create(index % 2 === 0 ? 'TCP' : 'DNS');
      return `${kept.at(-1)?.tag} created`;
    }
    const monitor = pick(alive(), index);
    if (edit === 'delete') {
      await bracketed(() => rest.call('DELETE', `/monitors/${monitor.tag}`), 200, 404);
      monitor.deleted = true;
      return `${monitor.tag} deleted`;
    }
    const before = monitor.versions.at(-1);
    if (before === undefined) throw new Error(`${monitor.tag} has no version`);
    const change = await changeOf(edit, before, index, () => addTarget(monitor.target.check.monitor_type));
    const { earliest, latest } = await bracketed(
      () => rest.call('PATCH', `/monitors/${monitor.tag}`, change.body),
      200,
    );
    const after = { ...before, ...change.version };
    // Only what changes the checks or how they are judged makes a revision.
    if (JSON.stringify(after) !== JSON.stringify(before))
      monitor.versions.push({ ...after, revision: before.revision + 1, earliest, latest });
    if (change.target) monitor.target = change.target;
    return `${monitor.tag}: ${edit}`;
  };
  return monitors;
}

interface Created {
  monitor: { id: number };
}

interface Change {
  body: object;
  version: Partial<MonitorVersion>;
  target?: Target;
}

async function changeOf(
  edit: Exclude<Edit, 'create' | 'delete'>,
  { regions, quorum }: MonitorVersion,
  index: number,
  addTarget: () => Promise<Target>,
): Promise<Change> {
  switch (edit) {
    case 'change': {
      const next = await addTarget();
      return { body: { type_data: next.check.type_data }, version: { target: next.log.key }, target: next };
    }
    case 'pause':
      return { body: { status: 'INACTIVE' }, version: { active: false } };
    case 'resume':
      return { body: { status: 'ACTIVE' }, version: { active: true } };
    case 'regions': {
      const next = regions === null ? [...REGIONS].slice(index % 2, (index % 2) + 2) : null;
      return { body: { monitor_settings_json: { regions: next, quorum } }, version: { regions: next } };
    }
    case 'quorum': {
      const next = quorum === 'any' ? 'majority' : 'any';
      return { body: { monitor_settings_json: { regions, quorum: next } }, version: { quorum: next } };
    }
  }
}

/**
 * Calls until it succeeds, and tells from which minute what it did may hold, and from which it must: an edit whose answer
 * never came may hold or not, and the same once more makes nothing of it but sure.
 */
async function bracketed<T>(
  call: () => Promise<Answer<T>>,
  ...wanted: number[]
): Promise<{ answer: T; earliest: number; latest: number }> {
  const beganMs = Date.now();
  for (;;) {
    const found = await call().catch((error: unknown) => ({ status: 0, body: error }));
    // The status says that the body is the answer.
    if (wanted.includes(found.status))
      return { answer: found.body as T, earliest: holdsFrom(beganMs), latest: holdsFrom(Date.now()) };
    if (Date.now() - beganMs > EDIT_MS)
      throw new Error(`an edit failed: ${found.status} ${JSON.stringify(found.body)}`);
    await wait(500);
  }
}

function holdsFrom(ms: number): number {
  return (Math.floor((ms + NOTICE_MS) / 60_000) + 1) * 60;
}

function pick<T>(list: readonly T[], index: number): T {
  const found = list[index % Math.max(1, list.length)];
  if (found === undefined) throw new Error('there is none left');
  return found;
}

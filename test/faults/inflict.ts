import { setTimeout as wait } from 'node:timers/promises';
import { signalGroup } from '../../deploy/local/process-list.ts';
import type { RunningPart } from '../support/running-part.ts';
import type { DiskFault } from '../support/disk-faults.ts';
import type { Diary } from './diary.ts';
import { CLOCKS_STAY_TRUE } from './false-clock.ts';
import { HOSTS_ARE_ONE } from './hosts.ts';
import type { Link, LinkState } from './link.ts';
import { COLLECTORS, type AgentName, type CollectorName } from './names.ts';
import type { Monitors } from './monitors.ts';
import { holdOf, type Fault, type FaultKind, type Plan } from './plan.ts';
import { DATABASE_IS_SHARED } from './database.ts';
import { endOf, freezeTree, killTree, signalProcess, startAgain } from './processes.ts';
import type { Stand } from './stand.ts';

/** What faults are inflicted on. */
export interface Scene {
  stand: Stand;
  monitors: Monitors;
  diary: Diary;
}

const DISK_FAULTS: Record<(FaultKind & { kind: 'disk' })['how'], DiskFault> = {
  full: { kind: 'ENOSPC' },
  broken: { kind: 'EIO' },
  'read-only': { kind: 'EROFS' },
  slow: { kind: 'slow', ms: 200 },
  short: { kind: 'short' },
  // The process dies in the middle of a write, is started again, and so on.
  deadly: { kind: 'kill', call: 25 },
};
const PARTITIONS: Record<(FaultKind & { kind: 'partition' })['how'], LinkState> = {
  cut: { mode: 'cut' },
  blackhole: { mode: 'blackhole' },
  delay: { mode: 'delay', ms: 1500 },
};

/** Inflicts each fault of the plan in its time, and resolves when the last one's cause is gone. */
export async function inflictAll({ faults }: Plan, beginsMs: number, scene: Scene): Promise<void> {
  const turns = new Map<string, Promise<void>>();
  const takeTurn = async (fault: Fault, before: Promise<void> | undefined): Promise<void> => {
    await wait(Math.max(0, beginsMs + fault.atMs - Date.now()));
    // The plan leaves room between them, but what is started again on a busy machine takes its time.
    await before;
    const end = scene.diary.begin(fault);
    end(await inflict(fault, scene));
  };
  await Promise.all(
    faults.map((fault) => {
      const hold = holdOf(fault);
      if (hold === null) return takeTurn(fault, undefined);
      const turn = takeTurn(fault, turns.get(hold));
      turns.set(hold, turn);
      return turn;
    }),
  );
}

type Of<K extends FaultKind['kind']> = Extract<Fault, { kind: K }>;
/** Resolves when the fault is over, with what it came to where there is something to say. `last`: as long as it lasts. */
type Inflict<K extends FaultKind['kind']> = (
  fault: Of<K>,
  scene: Scene,
  last: () => Promise<void>,
) => Promise<string | null>;

const INFLICT: { [K in FaultKind['kind']]: Inflict<K> } = {
  async kill({ victim }, { stand }, last) {
    await partOf(victim, stand).kill9();
    await last();
    return startAgain(partOf(victim, stand));
  },
  async stop({ victim }, { stand }, last) {
    signalGroup(partOf(victim, stand).pid, 'SIGSTOP');
    await last();
    signalGroup(partOf(victim, stand).pid, 'SIGCONT');
    return null;
  },
  leave: ({ victim }, { stand }, last) => leave(partOf(victim, stand), last()),
  partition: ({ from, to, how }, { stand }, last) => disturb(stand.link(from, to), PARTITIONS[how], last),
  async offline({ victim }, { stand }, last) {
    const cable = stand.agents.get(victim)?.host.cable;
    if (!cable) return `not run: ${HOSTS_ARE_ONE ?? DATABASE_IS_SHARED}`;
    cable.pull();
    await last();
    cable.plug();
    return null;
  },
  'slow database': ({ collector, bytesPerSecond }, { stand }, last) =>
    disturb(stand.link(collector, 'database'), { mode: 'throttle', bytesPerSecond }, last),
  'database sessions ended': (_, { stand }) => endSessions(stand),
  async 'nats restart'({ wiped }, { stand }, last) {
    await stand.nats.part.kill9();
    if (wiped) stand.nats.wipe();
    await last();
    return startAgain(stand.nats.part);
  },
  'database server': ({ how }, { stand: { database } }, last) =>
    database.server === null
      ? Promise.resolve(`not run: ${DATABASE_IS_SHARED}`)
      : interrupt(database.server, how, last),
  async api({ how, monitor, edit, afterMs }, { stand, monitors }, last) {
    const interrupted = wait(afterMs).then(() => interrupt(stand.api.part, how, last));
    const said = await Promise.all([monitors.edit(monitor, edit), interrupted]);
    return said.filter((one) => one !== null).join(', ');
  },
  'clock step': (fault, { stand }, last) => stepClock(fault, last, stand),
  async disk({ victim, how }, { stand }, last) {
    const disk = stand.agents.get(victim)?.disk;
    disk?.fail(DISK_FAULTS[how]);
    await last();
    disk?.mend();
    return null;
  },
  target: (fault, { monitors }, last) => failTarget(fault, last, monitors),
  edit: ({ monitor, edit }, { monitors }) => monitors.edit(monitor, edit),
};

function inflict<K extends FaultKind['kind']>(fault: Of<K>, scene: Scene): Promise<string | null> {
  // The fault's own kind names its function; TypeScript cannot follow K through the union.
  const by = INFLICT[fault.kind] as Inflict<K>;
  return by(fault, scene, () => wait(fault.lastsMs));
}

/** Takes a program away with all that it has started, for as long as it lasts. */
async function interrupt(
  part: RunningPart,
  how: 'killed' | 'restarted' | 'stopped',
  last: () => Promise<void>,
): Promise<string | null> {
  if (how === 'killed') await killTree(part);
  if (how === 'restarted') await part.stop();
  const stopped = how === 'stopped' ? freezeTree(part) : [];
  await last();
  for (const pid of stopped) signalProcess(pid, 'SIGCONT');
  return how === 'stopped' ? null : startAgain(part);
}

async function disturb(link: Link, state: LinkState, last: () => Promise<void>): Promise<null> {
  link.set(state);
  await last();
  link.set({ mode: 'open' });
  return null;
}

export function partOf(name: AgentName | CollectorName, { agents, collectors }: Stand): RunningPart {
  const found = COLLECTORS.find((one) => one === name);
  const program = found === undefined ? agents.get(name as AgentName) : collectors.get(found);
  if (program === undefined) throw new Error(`there is no ${name}`);
  return program.part;
}

async function leave(part: RunningPart, last: Promise<void>): Promise<string | null> {
  const how = await endOf(part);
  await last;
  await startAgain(part);
  return how === 0 ? null : `ended with ${how}`;
}

async function endSessions({ pool }: Stand): Promise<string> {
  const { rowCount } = await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'farwatch-collector%'`,
  );
  return `${rowCount} sessions`;
}

async function stepClock(
  { victim, stepSeconds }: Of<'clock step'>,
  last: () => Promise<void>,
  { agents, collectors }: Stand,
): Promise<string | null> {
  const clock = [...agents, ...collectors].find(([name]) => name === victim)?.[1].clock;
  if (!clock) return `not run: ${CLOCKS_STAY_TRUE}`;
  clock.step(stepSeconds);
  await last();
  clock.step(0);
  return null;
}

async function failTarget(
  { monitor, how }: Of<'target'>,
  last: () => Promise<void>,
  monitors: Monitors,
): Promise<string> {
  const target = monitors.failing(monitor);
  await target.fail?.(how);
  await last();
  await target.mend();
  return target.log.key;
}

import { pickBelow, pickOne, seededRandom } from '../support/seeded-random.ts';
import { AGENTS, COLLECTORS, REGIONS, regionOf, type AgentName, type CollectorName } from './names.ts';

/** A fault of a run: when it comes, counted from the first due minute, and how long it lasts, milliseconds. */
export type Fault = { atMs: number; lastsMs: number } & FaultKind;

export type FaultKind =
  /** SIGKILL; started again after its time. */
  | { kind: 'kill'; victim: AgentName | CollectorName }
  /** SIGSTOP, then SIGCONT. */
  | { kind: 'stop'; victim: AgentName | CollectorName }
  /** SIGTERM; started again once it has ended and its time is over. */
  | { kind: 'leave'; victim: AgentName }
  /** One way between two programs. */
  | { kind: 'partition'; from: AgentName | CollectorName; to: PartitionEnd; how: 'cut' | 'blackhole' | 'delay' }
  /** Its host has no network, for longer than a silence that may go unnoticed (decision 0011). */
  | { kind: 'offline'; victim: AgentName }
  /** What a collector says to the database and hears of it goes at this pace. */
  | { kind: 'slow database'; collector: CollectorName; bytesPerSecond: number }
  /** Every session of the database is ended, as by a failover. */
  | { kind: 'database sessions ended' }
  /** PostgreSQL with all its processes: SIGKILL or an orderly end, and started again; or SIGSTOP, then SIGCONT. */
  | { kind: 'database server'; how: 'killed' | 'restarted' | 'stopped' }
  /** The same of the API, so long after an edit has begun. */
  | { kind: 'api'; how: 'killed' | 'stopped'; monitor: number; edit: Edit; afterMs: number }
  /** nats-server is killed; `wiped`: it comes back without anything that JetStream had. */
  | { kind: 'nats restart'; wiped: boolean }
  /** The wall clock of one program is off for a while. */
  | { kind: 'clock step'; victim: AgentName | CollectorName; stepSeconds: 3600 | -3600 }
  | { kind: 'disk'; victim: AgentName; how: 'full' | 'broken' | 'read-only' | 'slow' | 'short' | 'deadly' }
  /** A target goes down and comes back. */
  | { kind: 'target'; monitor: number; how: TargetFault }
  | { kind: 'edit'; monitor: number; edit: Edit };

export type PartitionEnd = 'collector' | 'nats' | 'database';
/** DNS targets deny, lie or are silent; TCP targets are silent or refuse; PING targets are silent. */
export type TargetFault = 'gone' | 'denies' | 'lies' | 'silent';
export type Edit = 'change' | 'pause' | 'resume' | 'regions' | 'quorum' | 'delete' | 'create';

export interface Plan {
  seed: number;
  /** How many minutes are judged. */
  minutes: number;
  faults: Fault[];
}

export interface PlanOptions {
  minutes: number;
  faults: number;
  /** Monitors that there are at the beginning. */
  monitors: number;
}

const MINUTE_MS = 60_000;
/** Clocks that may be stepped: a program without libfaketime keeps a true one. */
export const UNTRUE_CLOCKS: readonly (AgentName | CollectorName)[] = ['eu-1', 'us-2', 'collector-b'];

/** Of shorter ones an agent may know nothing: proofs of its connection lie up to five seconds apart. */
const SHORTEST_OFFLINE_MS = 8000;

/** The plan of a seed: always the same, on every machine. */
export function drawPlan(seed: number, options: PlanOptions): Plan {
  const random = seededRandom(seed);
  const draws = shuffled(DRAWS, random);
  const region = pickOne(random, REGIONS);
  const faults: Fault[] = [];
  for (let n = 0; faults.length < options.faults; n += 1) {
    // Each kind once before any comes again.
    const draw = draws[n] ?? pickOne(random, DRAWS);
    const atMs = drawTime(random, options.minutes * MINUTE_MS, faults);
    const drawn = draw({
      random,
      agent: () => drawAgent(random, region),
      monitor: () => pickBelow(random, options.monitors),
    });
    // Everything is healed when the last judged minute ends.
    const fault = { ...drawn, atMs, lastsMs: Math.min(drawn.lastsMs, options.minutes * MINUTE_MS - atMs) };
    const isUnnoticed = fault.kind === 'offline' && fault.lastsMs < SHORTEST_OFFLINE_MS;
    if (!isUnnoticed && !faults.some((other) => collide(fault, other))) faults.push(fault);
  }
  return { seed, minutes: options.minutes, faults: faults.sort((a, b) => a.atMs - b.atMs) };
}

/** Anywhere, around the end of a minute, or soon after another fault: what comes together is what nobody thought of. */
function drawTime(random: () => number, totalMs: number, before: readonly Fault[]): number {
  const way = random();
  const anywhere = random() * totalMs;
  const soon = (random() - 0.3) * 12_000;
  const other = before[pickBelow(random, Math.max(1, before.length))]?.atMs ?? anywhere;
  const at = way < 0.35 ? anywhere : way < 0.6 ? Math.round(anywhere / MINUTE_MS) * MINUTE_MS + soon : other + soon;
  return Math.floor(Math.min(Math.max(at, 1000), totalMs - 2000));
}

/** One region is hit the hardest: what both of its agents meet at once is what nobody can make up for. */
function drawAgent(random: () => number, region: string): AgentName {
  const hit = AGENTS.filter((name) => regionOf(name) === region);
  return pickOne(random, random() < 0.6 ? hit : AGENTS);
}

interface Dice {
  random: () => number;
  agent: () => AgentName;
  /** By its number; which one that is depends on those there are when it comes. */
  monitor: () => number;
}

type Draw = (dice: Dice) => { lastsMs: number } & FaultKind;

const DRAWS: readonly Draw[] = [
  ({ random, agent }) => ({ kind: 'kill', victim: agent(), lastsMs: seconds(random, 1, 40) }),
  ({ random, agent }) => ({ kind: 'kill', victim: agent(), lastsMs: seconds(random, 1, 90) }),
  ({ random }) => ({ kind: 'kill', victim: pickOne(random, COLLECTORS), lastsMs: seconds(random, 1, 20) }),
  ({ random, agent }) => ({ kind: 'stop', victim: agent(), lastsMs: seconds(random, 2, 20) }),
  ({ random }) => ({ kind: 'stop', victim: pickOne(random, COLLECTORS), lastsMs: seconds(random, 2, 15) }),
  ({ random, agent }) => ({ kind: 'leave', victim: agent(), lastsMs: seconds(random, 2, 30) }),
  ({ random, agent }) => partition(random, agent(), ['collector', 'nats'], 40),
  ({ random, agent }) => partition(random, agent(), ['nats'], 80),
  ({ random }) => partition(random, pickOne(random, COLLECTORS), ['database', 'nats'], 25),
  ({ random, agent }) => ({ kind: 'offline', victim: agent(), lastsMs: seconds(random, 8, 30) }),
  ({ random, agent }) => ({ kind: 'offline', victim: agent(), lastsMs: seconds(random, 8, 80) }),
  ({ random }) => ({
    kind: 'slow database',
    collector: pickOne(random, COLLECTORS),
    bytesPerSecond: pickOne(random, [1000, 5000, 20_000]),
    lastsMs: seconds(random, 10, 30),
  }),
  () => ({ kind: 'database sessions ended', lastsMs: 0 }),
  ({ random }) => ({ kind: 'database server', how: pickOne(random, DATABASE_ENDS), lastsMs: seconds(random, 1, 15) }),
  ({ random }) => ({ kind: 'database server', how: pickOne(random, DATABASE_ENDS), lastsMs: seconds(random, 1, 15) }),
  api,
  api,
  ({ random }) => ({ kind: 'nats restart', wiped: random() < 0.6, lastsMs: seconds(random, 1, 40) }),
  ({ random }) => ({
    kind: 'clock step',
    victim: pickOne(random, UNTRUE_CLOCKS),
    stepSeconds: pickOne(random, [3600, -3600] as const),
    lastsMs: seconds(random, 20, 90),
  }),
  ({ random, agent }) => ({
    kind: 'disk',
    victim: agent(),
    how: pickOne(random, ['full', 'broken', 'read-only', 'slow', 'short', 'deadly'] as const),
    lastsMs: seconds(random, 5, 40),
  }),
  (dice) => target(dice, 5, 90),
  (dice) => target(dice, 60, 150),
  (dice) => target(dice, 60, 150),
  edit,
  edit,
  edit,
];

function seconds(random: () => number, from: number, to: number): number {
  return Math.round((from + random() * (to - from)) * 1000);
}

function partition(
  random: () => number,
  from: AgentName | CollectorName,
  ends: readonly PartitionEnd[],
  longest: number,
): { lastsMs: number } & FaultKind {
  const how = pickOne(random, ['cut', 'blackhole', 'delay'] as const);
  return { kind: 'partition', from, to: pickOne(random, ends), how, lastsMs: seconds(random, 3, longest) };
}

function target({ random, monitor }: Dice, from: number, to: number): { lastsMs: number } & FaultKind {
  const how = pickOne(random, ['gone', 'denies', 'lies', 'silent'] as const);
  return { kind: 'target', monitor: monitor(), how, lastsMs: seconds(random, from, to) };
}

const DATABASE_ENDS = ['killed', 'restarted', 'stopped'] as const;

function api(dice: Dice): { lastsMs: number } & FaultKind {
  const { random } = dice;
  const how = pickOne(random, ['killed', 'stopped'] as const);
  const afterMs = Math.round(random() * 60);
  return { kind: 'api', how, ...drawEdit(dice), afterMs, lastsMs: seconds(random, 1, 12) };
}

function edit(dice: Dice): { lastsMs: number } & FaultKind {
  return { kind: 'edit', ...drawEdit(dice), lastsMs: 0 };
}

function drawEdit({ random, monitor }: Dice): { monitor: number; edit: Edit } {
  const kinds = ['change', 'pause', 'resume', 'regions', 'quorum', 'delete', 'create'] as const;
  return { monitor: monitor(), edit: pickOne(random, kinds) };
}

/** What a fault takes hold of: nothing is taken hold of twice at the same time. Null: nothing. */
export function holdOf(fault: FaultKind): string | null {
  if ('victim' in fault)
    return `${fault.victim} ${['disk', 'clock step', 'offline'].includes(fault.kind) ? fault.kind : ''}`;
  if (fault.kind === 'partition') return `${fault.from} ${fault.to}`;
  if (fault.kind === 'slow database') return `${fault.collector} database`;
  if (fault.kind === 'target') return `target ${fault.monitor}`;
  return PARTS_HIT[fault.kind] ?? null;
}

const PARTS_HIT: Partial<Record<FaultKind['kind'], string>> = {
  'nats restart': 'nats',
  'database sessions ended': 'database',
  'database server': 'database',
  api: 'api',
};

/** Between the end of one fault and the next of the same thing. */
const BREATH_MS = 3000;

function collide(a: Fault, b: Fault): boolean {
  const hold = holdOf(a);
  if (hold === null || hold !== holdOf(b)) return false;
  return a.atMs < b.atMs + b.lastsMs + BREATH_MS && b.atMs < a.atMs + a.lastsMs + BREATH_MS;
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** A fault in a few words. */
export function describeFault(fault: FaultKind): string {
  const { kind, ...rest } = fault;
  const words = Object.entries(rest).flatMap(([name, value]) =>
    name === 'atMs' || name === 'lastsMs' ? [] : [`${name} ${value}`],
  );
  return [kind, ...words].join(', ');
}

/** The regions that a fault touches: elsewhere everything is measured as if there were no fault. */
export function regionsTouched(fault: FaultKind): readonly string[] {
  if ('victim' in fault) return regionsOf(fault.victim);
  if (fault.kind === 'partition') return regionsOf(fault.from);
  return ['target', 'edit', 'api'].includes(fault.kind) ? [] : REGIONS;
}

function regionsOf(name: AgentName | CollectorName): readonly string[] {
  return REGIONS.filter((region) => name.startsWith(`${region}-`)).concat(
    COLLECTORS.some((one) => one === name) ? REGIONS : [],
  );
}

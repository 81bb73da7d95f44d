import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { AgentProcess } from '../support/agent-process.ts';
import { slotsOf } from '../support/division.ts';
import { openDivisionScene, type DivisionScene } from '../support/division-scene.ts';

/**
 * How long a region's monitors go without a check when one of its agents dies: agents are processes, one of three is
 * killed at any second of a minute, and a counting collector notes what arrives. Aim: no check in its place later than ten
 * seconds after the kill, or after its own time where that comes later, and no minute missing.
 */
const { values: options } = parseArgs({
  options: { monitors: { type: 'string', default: '300' }, rounds: { type: 'string', default: '4' } },
});
const MONITORS = Number(options.monitors);
const ROUNDS = Number(options.rounds);
const AGENTS = [1, 2, 3];
/** A minute whose results have not come by then has its point without them. */
const RIPE_SECONDS = 75;
/** What is taken over after the end of its minute comes by then. */
const SETTLED_SECONDS = 90;

interface Round {
  killedAtSecond: number;
  /** Slots of the dead agent that it had not measured, already due at the kill and later ones. */
  overdue: number;
  later: number;
  /** The longest that one of them waited for another agent's result to arrive: since the kill, or since it was due. */
  takeoverMs: number;
  /** Results of the minute of the kill and the one after that came too late for their points, and that never came. */
  late: number;
  missing: number;
  /** Measured by the dead agent and again by another. */
  doubled: number;
}

const scene = await openDivisionScene(MONITORS);
try {
  const agents = new Map(AGENTS.map((id) => [id, scene.start(id)]));
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const killedAtSecond = Math.floor(((round + Math.random()) / ROUNDS) * 60);
    rounds.push(await kill(scene, agents, (round % AGENTS.length) + 1, killedAtSecond));
    process.stdout.write(`${JSON.stringify(rounds.at(-1))}\n`);
  }
  const worst = Math.max(...rounds.map(({ takeoverMs }) => takeoverMs));
  const sum = (of: (round: Round) => number): number => rounds.reduce((total, round) => total + of(round), 0);
  const minutes = 2 * ROUNDS * MONITORS;
  process.stdout.write(
    `${ROUNDS} kills, ${MONITORS} monitors, 3 agents: ${sum((one) => one.overdue)} overdue checks and ` +
      `${sum((one) => one.later)} later ones taken over, the last after ${(worst / 1000).toFixed(1)} s; of ${minutes} ` +
      `minutes ${sum((one) => one.late)} late, ${sum((one) => one.missing)} missing, ${sum((one) => one.doubled)} doubled\n`,
  );
  if (worst > 10_000 || sum((one) => one.missing) > 0) process.exitCode = 1;
} finally {
  await scene.end();
}

async function kill(
  { collector, ...rest }: DivisionScene,
  agents: Map<number, AgentProcess>,
  victim: number,
  second: number,
): Promise<Round> {
  const first = await rest.shared(agents);
  await rest.until(first + 60, second);
  const owned = new Set([...rest.measured(first)].filter(([, by]) => by.includes(victim)).map(([id]) => id));
  const killedMs = Date.now();
  agents.get(victim)?.kill('SIGKILL');
  await rest.until(first + 120, SETTLED_SECONDS);
  const minutes = [first + 60, first + 120];
  const arrived = arrivalsOf(collector);
  const after = arrived.filter((one) => owned.has(one.monitorId) && one.minute > first && one.senderId !== victim);
  const hasMeasured = new Set(arrived.flatMap((one) => (one.senderId === victim ? [keyOf(one)] : [])));
  const takenOver = new Map(after.map((one) => [keyOf(one), one.arrivedMs]));
  const owed = slotsOf(rest.definitions(MONITORS), minutes).filter(
    (slot) => owned.has(slot.monitorId) && !hasMeasured.has(keyOf(slot)),
  );
  const waitedMs = owed.map((slot) => (takenOver.get(keyOf(slot)) ?? Infinity) - Math.max(killedMs, slot.startMs));
  const overdue = owed.filter(({ startMs }) => startMs <= killedMs).length;
  const counts = minutes.flatMap((minute) => [...rest.measured(minute).values()].map((by) => by.length));
  agents.set(victim, rest.start(victim));
  await wait(1000);
  return {
    killedAtSecond: second,
    overdue,
    later: owed.length - overdue,
    takeoverMs: Math.max(0, ...waitedMs),
    late: after.filter(({ minute, arrivedMs }) => arrivedMs > (minute + RIPE_SECONDS) * 1000).length,
    missing: counts.filter((times) => times === 0).length,
    doubled: counts.filter((times) => times > 1).length,
  };
}

function keyOf({ monitorId, minute }: { monitorId: number; minute: number }): string {
  return `${monitorId}@${minute}`;
}

interface Arrival {
  monitorId: number;
  minute: number;
  senderId: number;
  arrivedMs: number;
}

/** The results that say something, the newest first. */
function arrivalsOf({ results, senders, arrivals }: DivisionScene['collector']): Arrival[] {
  const all = results.map(({ monitorId, minute, status }, index): Arrival & { status: string } => {
    return { monitorId, minute, status, senderId: senders[index] ?? 0, arrivedMs: arrivals[index] ?? 0 };
  });
  return all.filter(({ status }) => status !== 'UNKNOWN').reverse();
}

import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { AgentProcess } from '../support/agent-process.ts';
import { openDivisionScene, type DivisionScene } from '../support/division-scene.ts';

/**
 * How long a region's monitors go without a check when one of its agents dies: agents are processes, one of three is
 * killed at any second of a minute, and a counting collector notes what arrives. Aim: the first check in its place
 * within ten seconds, no minute missing.
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
  /** From the kill to the arrival of the first result that another agent measured in place of the dead one. */
  firstTakeoverMs: number;
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
  const worst = Math.max(...rounds.map(({ firstTakeoverMs }) => firstTakeoverMs));
  const sum = (of: (round: Round) => number): number => rounds.reduce((total, round) => total + of(round), 0);
  const minutes = 2 * ROUNDS * MONITORS;
  process.stdout.write(
    `${ROUNDS} kills, ${MONITORS} monitors, 3 agents: first takeover at the latest after ${(worst / 1000).toFixed(1)} s; of ` +
      `${minutes} minutes ${sum((one) => one.late)} late, ${sum((one) => one.missing)} missing, ${sum((one) => one.doubled)} doubled\n`,
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
  const after = collector.results.flatMap(({ monitorId, minute }, index) =>
    owned.has(monitorId) && minute >= first + 60 && collector.senders[index] !== victim
      ? [{ minute, arrivedMs: collector.arrivals[index] ?? 0 }]
      : [],
  );
  const minutes = [first + 60, first + 120];
  const counts = minutes.flatMap((minute) => [...rest.measured(minute).values()].map((by) => by.length));
  agents.set(victim, rest.start(victim));
  await wait(1000);
  return {
    killedAtSecond: second,
    firstTakeoverMs: Math.min(...after.map(({ arrivedMs }) => arrivedMs)) - killedMs,
    late: after.filter(({ minute, arrivedMs }) => arrivedMs > (minute + RIPE_SECONDS) * 1000).length,
    missing: counts.filter((times) => times === 0).length,
    doubled: counts.filter((times) => times > 1).length,
  };
}

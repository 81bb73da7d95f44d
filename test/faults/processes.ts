import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import type { RunningPart } from '../support/running-part.ts';
import type { Wrong } from './ledger.ts';

/** Longer than any program takes to end when it is asked to (agents end their last checks, within a minute). */
const END_MS = 90_000;
const START_MS = 60_000;
const ANSWER_MS = 5000;
const SAMPLE_EVERY_MS = 5000;
const PAGE_BYTES = 4096;
const TICKS_PER_SECOND = 100;

/** Asks a program to end; resolves with its exit code or signal, and with `stuck` where it does not, after killing it. */
export async function endOf(part: RunningPart): Promise<number | NodeJS.Signals | 'stuck' | null> {
  const over = new AbortController();
  const late = wait(END_MS, 'stuck' as const, { signal: over.signal }).catch(() => null);
  const how = await Promise.race([part.stop(), late]);
  over.abort();
  if (how === 'stuck') await part.kill9();
  return how;
}

/** Stops a program and what it has started itself, which may lead groups of their own; returns their ids. */
export function freezeTree({ pid }: RunningPart): number[] {
  // One that has ended: its number may be another's by now.
  if (!childrenOf(process.pid).includes(pid)) return [];
  // It starts nothing more while the others are looked for.
  signalProcess(pid, 'SIGSTOP');
  const children = childrenOf(pid);
  for (const child of children) signalProcess(child, 'SIGSTOP');
  return [pid, ...children];
}

/** SIGKILL to a program and what it has started itself. */
export async function killTree(part: RunningPart): Promise<void> {
  const stopped = freezeTree(part);
  await part.kill9();
  for (const pid of stopped) signalProcess(pid, 'SIGKILL');
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    // It has ended by itself.
    return [];
  }
}

/** A server whose predecessor was killed may find that one's remains for a moment. */
export async function startAgain(part: RunningPart): Promise<string | null> {
  let tries = 0;
  await eventually(`${part.name} is back`, START_MS, () =>
    part.start().then(
      () => true,
      () => void (tries += 1),
    ),
  );
  return tries === 0 ? null : `started at the ${tries + 1}. try`;
}

/** Programs that do not say that they are well, each of their parts. */
export async function judgeHealth(programs: readonly { part: RunningPart; health: string }[]): Promise<Wrong[]> {
  const asked = programs.map(async ({ part, health }): Promise<Wrong[]> => {
    const url = `http://${health}/healthz`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch((error: unknown) => error);
    if (answer instanceof Response && answer.ok) return [];
    const said = answer instanceof Response ? await answer.text() : String(answer);
    return [{ kind: 'stuck', text: `${part.name} is not well after all was healed: ${said}` }];
  });
  return (await Promise.all(asked)).flat();
}

/** Programs that ended by themselves: none may, but an agent that is started on a disk that fails. */
export function judgeCrashes(
  parts: readonly Pick<RunningPart, 'name' | 'crashes'>[],
  onFailingDisks: readonly string[],
): Wrong[] {
  return parts
    .filter(({ name, crashes }) => crashes > 0 && !onFailingDisks.includes(name))
    .map(({ name, crashes }) => ({ kind: 'crashed', text: `${name} ended by itself ${crashes} times` }));
}

/** How much memory and processor each program takes while it lives. */
export interface ProcessWatch {
  /** What grew, or is more than it may be. */
  judge(): Wrong[];
  /** Of each program, and of the run's own process. */
  figures(): ProcessFigures[];
  close(): Promise<void>;
}

export interface ProcessFigures {
  name: string;
  mostMib: number;
  cpuSeconds: number;
}

interface Life {
  name: string;
  samples: { ms: number; bytes: number }[];
  cpuSeconds: number;
}

/** More than this no program of a run needs, whatever it has to hold back. */
const MOST_MIB = 400;
/** And so much more at the end of a life than after its first minute. */
const GROWTH_MIB = 80;
const SETTLED_MS = 60_000;
const MIB = 1024 * 1024;

export function watchProcesses(parts: readonly RunningPart[]): ProcessWatch {
  const lives = new Map<number, Life>();
  const closing = new AbortController();
  const watching = (async () => {
    while (!closing.signal.aborted) {
      for (const part of parts) sample(part, lives);
      await wait(SAMPLE_EVERY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  })();
  return {
    judge: () => [...lives.values()].flatMap(judgeLife),
    figures: () => [...parts.map(({ name }) => figuresOf(name, [...lives.values()])), ownFigures()],
    async close() {
      closing.abort();
      await watching;
    },
  };
}

function figuresOf(name: string, lives: readonly Life[]): ProcessFigures {
  const ours = lives.filter((life) => life.name === name);
  const most = Math.max(0, ...ours.flatMap(({ samples }) => samples.map(({ bytes }) => bytes)));
  const cpuSeconds = ours.reduce((sum, life) => sum + life.cpuSeconds, 0);
  return { name, mostMib: Math.round(most / MIB), cpuSeconds: Math.round(cpuSeconds) };
}

function ownFigures(): ProcessFigures {
  const { user, system } = process.cpuUsage();
  return {
    name: 'runner',
    mostMib: Math.round(process.resourceUsage().maxRSS / 1024),
    cpuSeconds: Math.round((user + system) / 1e6),
  };
}

function sample({ name, pid }: RunningPart, lives: Map<number, Life>): void {
  try {
    const bytes = bytesOf(pid);
    const life = lives.get(pid) ?? { name, samples: [], cpuSeconds: 0 };
    life.samples.push({ ms: Date.now(), bytes });
    life.cpuSeconds = cpuSecondsOf(pid);
    lives.set(pid, life);
  } catch {
    // It does not run just now.
  }
}

/** Resident memory of a program and of what it has started: of that only its own, since PostgreSQL's share theirs. */
function bytesOf(pid: number): number {
  const own = childrenOf(pid).map((child) => pagesOf(child).resident - pagesOf(child).shared);
  return own.reduce((sum, pages) => sum + pages, pagesOf(pid).resident) * PAGE_BYTES;
}

/** proc(5). */
function pagesOf(pid: number): { resident: number; shared: number } {
  const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
  return { resident, shared };
}

/** Of a program with what it has started, living or not. */
function cpuSecondsOf(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => {
    // proc(5): after the name in brackets the 12th to 15th field are its own time and that of children that have ended.
    const ticks = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 15) ?? [];
    return ticks.reduce((all, some) => all + Number(some) / TICKS_PER_SECOND, sum);
  }, 0);
}

/** What is wrong with the memory of a program in one life of it: too much, or more and more. */
export function judgeLife({ name, samples }: Pick<Life, 'name' | 'samples'>): Wrong[] {
  const most = Math.max(...samples.map(({ bytes }) => bytes)) / MIB;
  const settled = samples.filter(({ ms }) => ms - (samples[0]?.ms ?? 0) >= SETTLED_MS);
  const third = Math.ceil(settled.length / 3);
  const growth = (median(settled.slice(-third)) - median(settled.slice(0, third))) / MIB;
  const wrongs: Wrong[] = [];
  if (most > MOST_MIB) wrongs.push({ kind: 'memory', text: `${name} took ${most.toFixed(0)} MiB` });
  if (growth > GROWTH_MIB) wrongs.push({ kind: 'memory', text: `${name} grew by ${growth.toFixed(0)} MiB` });
  return wrongs;
}

function median(samples: readonly { bytes: number }[]): number {
  const sorted = samples.map(({ bytes }) => bytes).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

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
export async function judgeHealth(programs: readonly { part: RunningPart; healthPort: number }[]): Promise<Wrong[]> {
  const asked = programs.map(async ({ part, healthPort }): Promise<Wrong[]> => {
    const url = `http://127.0.0.1:${healthPort}/healthz`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch((error: unknown) => error);
    if (answer instanceof Response && answer.ok) return [];
    const said = answer instanceof Response ? await answer.text() : String(answer);
    return [{ kind: 'stuck', text: `${part.name} is not well after all was healed: ${said}` }];
  });
  return (await Promise.all(asked)).flat();
}

/** How much memory and processor each program takes while it lives. */
export interface ProcessWatch {
  /** What grew, or is more than it may be. */
  judge(): Wrong[];
  figures(): { name: string; mostMib: number; cpuSeconds: number }[];
  close(): Promise<void>;
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
    figures: () =>
      parts.map(({ name }) => {
        const ours = [...lives.values()].filter((life) => life.name === name);
        const most = Math.max(0, ...ours.flatMap(({ samples }) => samples.map(({ bytes }) => bytes)));
        const cpuSeconds = ours.reduce((sum, life) => sum + life.cpuSeconds, 0);
        return { name, mostMib: Math.round(most / MIB), cpuSeconds: Math.round(cpuSeconds) };
      }),
    async close() {
      closing.abort();
      await watching;
    },
  };
}

function sample({ name, pid }: RunningPart, lives: Map<number, Life>): void {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    // proc(5): after the name in brackets the 12th and 13th field are its own time in user and system mode.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const life = lives.get(pid) ?? { name, samples: [], cpuSeconds: 0 };
    life.samples.push({ ms: Date.now(), bytes: pages * PAGE_BYTES });
    life.cpuSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    lives.set(pid, life);
  } catch {
    // It does not run just now.
  }
}

function judgeLife({ name, samples }: Life): Wrong[] {
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

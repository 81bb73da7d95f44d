import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '../../runtime/time.ts';
import { leaveDataFolder, takeDataFolder } from './data-folder.ts';
import { launch, type Running } from './launch.ts';
import { parseOptions, USAGE, type Options } from './options.ts';
import { endLeftovers, openProcessList } from './process-list.ts';
import { accepts } from './programs.ts';
import { rawSocketAdvice } from './raw-sockets.ts';
import { LAYERS } from './supervise.ts';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 64;
const PARENT_CHECK_MS = 1000;
/** Ctrl-C comes twice at once: from the terminal, and passed on by npm. */
const SAME_WISH_MS = 1000;

const say = (line: string): void => console.log(line);

const options = parseOptions(process.argv.slice(2));
if ('problem' in options) {
  console.error(`${options.problem}\n\n${USAGE}`);
  process.exit(EXIT_USAGE);
}
process.exit(await run(options));

/** The whole life of the launcher; returns its exit code. */
async function run(options: Options): Promise<number> {
  const running: Running = { parts: [], closers: [] };
  const ending = onSignals(running);
  const holder = takeDataFolder(options.dataDir);
  if (holder !== null) {
    console.error(`${options.dataDir} is in use by another launcher (process ${holder.pid}): end it, or use --data`);
    return EXIT_FAILURE;
  }
  let failure: unknown;
  try {
    await endLeftovers(options.dataDir, say);
    if (await accepts(options.port)) throw new Error(`port ${options.port} is taken: choose another one with --port`);
    const advice = rawSocketAdvice();
    if (advice !== null) say(advice);
    const processes = openProcessList(options.dataDir);
    const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl } = process.env;
    await launch({ options, databaseUrl, natsUrl, processes, signal: ending.signal, say }, running);
    await untilAborted(ending.signal);
  } catch (error) {
    failure = error;
    if (!ending.signal.aborted) console.error(error instanceof Error ? error.message : error);
  }
  await endAll(running);
  leaveDataFolder(options.dataDir);
  if (ending.signal.aborted) say('ended');
  return failure === undefined || ending.signal.aborted ? 0 : EXIT_FAILURE;
}

async function endAll({ parts, closers }: Running): Promise<void> {
  for (const layer of LAYERS) {
    await Promise.all(parts.filter((part) => part.layer === layer).map((part) => part.stop()));
  }
  await Promise.all(closers.map((close) => close()));
}

/** The first signal ends everything in order, a later one at once. */
function onSignals(running: Running): AbortController {
  const ending = new AbortController();
  let firstMs = 0;
  const onSignal = (): void => {
    if (ending.signal.aborted) {
      if (monotonicMs() - firstMs < SAME_WISH_MS) return;
      say('ending everything at once');
      for (const part of running.parts) part.kill();
      return;
    }
    say('ending');
    firstMs = monotonicMs();
    ending.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  // npm passes signals on, but one that is killed itself cannot.
  if (process.env.npm_lifecycle_event !== undefined) void watchParent(process.ppid, ending);
  return ending;
}

async function watchParent(parent: number, ending: AbortController): Promise<void> {
  while (!ending.signal.aborted) {
    if (process.ppid !== parent) ending.abort();
    await wait(PARENT_CHECK_MS, undefined, { ref: false });
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

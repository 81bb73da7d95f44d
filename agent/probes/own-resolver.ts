import { Resolver } from 'node:dns/promises';
import type { BootClock } from './deadline.ts';
import { askServer, type Asked, type Question } from './resolver-query.ts';

/** The longest one of several servers is given before the next is asked beside it. */
const NEXT_SERVER_MS = 800;

/** The name servers of the agent's own host. */
export interface OwnResolver {
  /**
   * Asks the servers of the host one question, at most `ms` milliseconds in all: in their order, the next one beside
   * the one before when that is silent or refuses. The first that knows (records, NXDOMAIN, no data) is believed.
   */
  ask<T>(question: Question<T>, ms: number, signal: AbortSignal): Promise<Asked<T>>;
  /** The servers as now configured, `address` or `address:port`. */
  servers(): string[];
}

/** `servers`: instead of those the host is configured with (resolv.conf, read anew for each question). */
export function createOwnResolver(options: { servers?: string[]; clock?: BootClock } = {}): OwnResolver {
  const servers = (): string[] => options.servers ?? new Resolver().getServers();
  return {
    servers,
    ask: (question, ms, signal) => askInTurn(servers(), question, ms, signal, options.clock),
  };
}

function askInTurn<T>(
  servers: string[],
  question: Question<T>,
  ms: number,
  signal: AbortSignal,
  clock: BootClock | undefined,
): Promise<Asked<T>> {
  const [only] = servers;
  if (only !== undefined && servers.length === 1) return askServer(only, question, ms, signal, clock);
  const stepMs = Math.min(NEXT_SERVER_MS, ms / (servers.length + 1));
  return new Promise((resolve) => {
    const ends: Asked<T>[] = [];
    const others = new AbortController();
    const stop = (): void => others.abort();
    let asked = 0;
    let timer: NodeJS.Timeout | undefined;
    const finish = (end: Asked<T>): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(end);
      others.abort();
    };
    const onEnd = (end: Asked<T>): void => {
      ends.push(end);
      const isLast = ends.length === (others.signal.aborted ? asked : servers.length);
      if (isLast || isConclusive(end)) finish(best(ends));
      else askNext();
    };
    const askNext = (): void => {
      clearTimeout(timer);
      const server = servers[asked];
      if (server === undefined || others.signal.aborted) return;
      void askServer(server, question, ms - asked * stepMs, others.signal, clock).then(onEnd);
      asked += 1;
      timer = setTimeout(askNext, stepMs);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted || servers.length === 0) finish({ kind: 'silence', end: signal.aborted ? 'cut' : 'timeout' });
    else askNext();
  });
}

function isConclusive<T>(end: Asked<T>): boolean {
  return end.kind === 'answer' || (end.kind === 'refusal' && (end.code === 'nxdomain' || end.code === 'nodata'));
}

/** What several servers' ends amount to: knowledge, then a stall (it proves nothing), then any word, then silence. */
function best<T>(ends: Asked<T>[]): Asked<T> {
  return (
    ends.find(isConclusive) ??
    ends.find((end) => end.kind === 'silence' && end.end !== 'timeout') ??
    ends.find((end) => end.kind === 'refusal') ??
    ends[0] ?? { kind: 'silence', end: 'timeout' }
  );
}

import pg from 'pg';
import { KEEP_ALIVE_MS, SESSION_OPTIONS } from './client.ts';

/** What a listener hears: that it is connected (anew), that it holds the lock, or a notification. */
export type Notice =
  { kind: 'connected' } | { kind: 'leading' } | { kind: 'notified'; channel: string; payload: string };

export interface Listening {
  url: string;
  /** Shown in pg_stat_activity. */
  name: string;
  channels: readonly string[];
  /** An advisory lock to hold as long as the connection lives; who has it leads. `connected` ends leading. */
  leaderLock?: number;
  /** Milliseconds after which the server ends a listener that says nothing, so that another can lead. */
  silenceMs?: number;
  signal: AbortSignal;
  /** Called with what broke a connection, before another is tried. */
  onTrouble?: (error: Error) => void;
}

/** A silent connection is asked this often whether it still lives. */
const PROBE_MS = 5000;
/** A program that stands still while its host lives has missed so many probes. */
const SILENCE_MS = 6 * PROBE_MS;
const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 5000;

/**
 * The notifications of some channels, until the signal aborts. Each connection begins with `connected`: whatever was
 * notified before it may have been missed, so the caller then reads everything. Connects again for ever. Throws where
 * the address is a transaction pooler's: there LISTEN is accepted and nothing is ever heard.
 */
export async function* listen(listening: Listening): AsyncGenerator<Notice> {
  let retryMs = RETRY_MIN_MS;
  while (!listening.signal.aborted) {
    try {
      for await (const notice of connection(listening)) {
        retryMs = RETRY_MIN_MS;
        yield notice;
      }
    } catch (error) {
      if (error instanceof PoolerError || !(error instanceof Error)) throw error;
      listening.onTrouble?.(error);
    }
    await pause(retryMs, listening.signal);
    retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
  }
}

class PoolerError extends Error {}

/** One connection's notices; ends when the signal aborts, throws when it breaks. */
async function* connection(listening: Listening): AsyncGenerator<Notice> {
  const { channels, leaderLock, signal } = listening;
  const client = newClient(listening);
  const queue: Notice[] = [];
  let broken: Error | undefined;
  let wake = (): void => undefined;
  const fail = (error: Error): void => {
    broken ??= error;
    wake();
  };
  client.on('error', fail);
  client.on('end', () => fail(new Error('the listening connection was closed')));
  client.on('notification', ({ channel, payload = '' }) => {
    queue.push({ kind: 'notified', channel, payload });
    wake();
  });
  try {
    await client.connect();
    await refusePooler(client);
    for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    yield { kind: 'connected' };
    let leading = false;
    let probedAt = -Infinity;
    while (!signal.aborted && !broken) {
      yield* queue.splice(0);
      if (queue.length > 0) continue;
      const untilProbe = probedAt + PROBE_MS - performance.now();
      if (untilProbe <= 0) {
        probedAt = performance.now();
        const leads: boolean = leading || (await takeLock(client, leaderLock));
        if (leads && !leading) yield { kind: 'leading' };
        else await client.query('select 1');
        leading = leads;
        continue;
      }
      await waitUntil(untilProbe, signal, (wakeUp) => (wake = wakeUp));
    }
    if (broken) throw broken;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function newClient({ url, name, silenceMs = SILENCE_MS }: Listening): pg.Client {
  return new pg.Client({
    connectionString: url,
    application_name: name,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    options: `${SESSION_OPTIONS} -c idle_session_timeout=${silenceMs}`,
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  });
}

async function takeLock(client: pg.Client, lock: number | undefined): Promise<boolean> {
  if (lock === undefined) return false;
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1::bigint) as taken', [lock]);
  return rows[0]?.taken === true;
}

/** A pooler invents the process id that it greets with; the server behind it has another. */
async function refusePooler(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  // pg declares neither of its connection's two public numbers.
  const greeted = (client as pg.Client & { processID: number | null }).processID;
  if (rows[0]?.pid === greeted) return;
  throw new PoolerError(
    'DATABASE_URL leads to a connection pooler, through which notifications do not come: give the address of PostgreSQL itself',
  );
}

/** True where woken, false where the time passed or the signal aborted. */
function waitUntil(ms: number, signal: AbortSignal, register: (wakeUp: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (woken: boolean) => (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', ended);
      resolve(woken);
    };
    const ended = settle(false);
    const timer = setTimeout(ended, ms);
    signal.addEventListener('abort', ended, { once: true });
    register(settle(true));
    if (signal.aborted) ended();
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await waitUntil(ms, signal, () => undefined);
}

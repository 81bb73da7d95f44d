import { Socket } from 'node:net';
import type { TcpConfig, TcpHost } from '../../core/type-data.ts';
import { startDeadline, startStopwatch, type BootClock, type Deadline, type DeadlineEnd } from './deadline.ts';
import type { StartQueue } from './start-queue.ts';
import type { Problem, Resolve } from './target.ts';
import { judgeConnectError, type TcpCode } from './tcp-error.ts';

/** What one connection attempt to one host found (reference §3 names the first five fields). */
export interface TcpAttempt {
  status: 'open' | 'timeout' | 'error';
  /** Milliseconds with fractions, always set: until the connection was open, failed or given up. */
  latency: number;
  host: string;
  port: number;
  type: 'IP4' | 'IP6' | 'DOMAIN';
  code: TcpCode;
  /** The address that was measured; null where there was none. */
  address: string | null;
  /** Set where the agent itself could not measure; the other fields then say nothing of the target. */
  problem: Problem | null;
  /** What the system said, where that is more than `code` says. */
  detail: string | null;
}

export interface TcpTools {
  resolve: Resolve;
  starts: StartQueue;
  clock?: BootClock;
}

/**
 * Opens one connection to each host, side by side, and closes it at once. One attempt, one address: half up must not
 * look up. Answers in the order of the hosts; never rejects for anything a target or the network does. A process that
 * was stopped while it waited reports an open port with the time that passed, and silence as `stalled`.
 */
export function measureTcp(config: TcpConfig, tools: TcpTools, signal: AbortSignal): Promise<TcpAttempt[]> {
  return Promise.all(config.hosts.map((host) => measureHost(host, tools, signal)));
}

async function measureHost(host: TcpHost, tools: TcpTools, signal: AbortSignal): Promise<TcpAttempt> {
  const resolving = startStopwatch();
  const target = await tools.resolve(host, signal);
  switch (target.kind) {
    case 'problem':
      return attempt(host, resolving(), null, { code: 'unmeasured', problem: target });
    case 'definite':
      return attempt(host, resolving(), null, { code: 'unresolved', detail: target.error });
    case 'address': {
      await tools.starts.turn();
      const found = await connect(target.address, target.family, host, tools.clock, signal);
      return attempt(host, found.latency, target.address, found.end);
    }
  }
}

interface End {
  code: TcpCode;
  problem?: Problem | null;
  detail?: string;
}

function attempt(host: TcpHost, latency: number, address: string | null, end: End): TcpAttempt {
  const { problem = null, detail = null, code } = end;
  const status = code === 'open' || code === 'timeout' ? code : 'error';
  return {
    status,
    latency,
    host: host.host,
    port: host.port,
    type: host.type,
    code,
    address,
    problem: plain(problem),
    detail,
  };
}

function plain(problem: Problem | null): Problem | null {
  return problem && { reason: problem.reason, detail: problem.detail, cause: problem.cause };
}

function connect(
  address: string,
  family: 4 | 6,
  { port, timeout }: TcpHost,
  clock: BootClock | undefined,
  signal: AbortSignal,
): Promise<{ latency: number; end: End }> {
  if (signal.aborted) return Promise.resolve({ latency: 0, end: cut });
  return new Promise((resolve) => {
    const socket = new Socket();
    let elapsed = startStopwatch();
    let atOnce = false;
    let deadline: Deadline | undefined;
    const finish = (end: End): void => {
      const latency = elapsed();
      deadline?.clear();
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners();
      // A second error of a socket that is already judged must not end the process.
      socket.on('error', ignore);
      // A reset leaves no TIME_WAIT, but of a socket that still connects it would wait for the connection.
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
      resolve({ latency, end });
    };
    const onAbort = (): void => finish(cut);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('connect', () => finish({ code: 'open' }));
    socket.once('error', (error: NodeJS.ErrnoException) => finish(failure(error, atOnce)));
    // node:net calls connect(2) in the next tick: the clock starts right before it. Right after it the packet has left,
    // so that the target has its whole time, and an error that is there already came without a packet.
    process.nextTick(() => (elapsed = startStopwatch()));
    socket.connect({ host: address, port, family });
    process.nextTick(() => {
      atOnce = socket.errored !== null;
      if (!socket.destroyed) deadline = startDeadline(timeout, (end) => finish(silence(end)), clock);
    });
  });
}

const cut: End = {
  code: 'unmeasured',
  problem: { reason: 'cut', detail: 'ended before its own timeout', cause: 'AGENT' },
};

function silence(end: DeadlineEnd): End {
  if (end === 'timeout') return { code: 'timeout' };
  const detail = 'this process did not run while it waited for the connection';
  return { code: 'unmeasured', problem: { reason: 'stalled', detail, cause: 'AGENT' } };
}

function failure(error: NodeJS.ErrnoException, atOnce: boolean): End {
  const errno = error.code ?? error.message;
  return { ...judgeConnectError(errno, atOnce), detail: errno };
}

function ignore(): void {}

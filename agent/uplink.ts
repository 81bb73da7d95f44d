import type { AgentStream } from '../proto/agent-stream.ts';
import type { Welcome } from '../proto/messages.ts';
import { StreamEnd, type StreamEndCode } from '../proto/stream-end.ts';
import type { Logger } from '../runtime/logger.ts';
import { createBackoff, sleep } from '../runtime/time.ts';
import { UplinkSession, type SessionParts } from './uplink-session.ts';

export interface UplinkOptions extends Omit<SessionParts, 'onAnswers'> {
  open: () => AgentStream;
  logger: Logger;
  /** How long a collector that refuses this agent is left alone. */
  refusedRetryMs?: number;
}

/** The collector knows this agent and does not want it: trying often changes nothing. */
const REFUSALS: readonly StreamEndCode[] = ['UNAUTHENTICATED', 'PERMISSION_DENIED', 'FAILED_PRECONDITION'];
const REFUSED_RETRY_MS = 30_000;
const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 10_000;
/** How long a stopping agent tries to deliver what is fresh; the rest stays in the spool. */
const LEAVE_WITHIN_MS = 3000;

/** Keeps a stream to a collector, and over it sends what the spool holds. */
export class Uplink {
  readonly #options: UplinkOptions;
  #session: UplinkSession | null = null;
  #timeline: string | null = null;
  #problem: string | null = 'no collector has been reached yet';
  readonly dropped = new Map<string, number>();
  duplicates = 0;
  sessions = 0;

  constructor(options: UplinkOptions) {
    this.#options = options;
    options.spool.onNews = () => this.#session?.look();
  }

  /** Why nothing can be delivered; null: it can. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Batches that are not acknowledged. */
  get inFlight(): number {
    return this.#session?.inFlight ?? 0;
  }

  /** Asks the collector for an acknowledgement, as proof of the connection. */
  ask(): void {
    this.#session?.ask();
  }

  /** Keeps the stream until the signal aborts, then delivers what it can in a few seconds and takes leave. */
  async run(signal: AbortSignal): Promise<void> {
    const backoff = createBackoff(RETRY_MIN_MS, RETRY_MAX_MS);
    while (!signal.aborted) {
      const refused = await this.#runSession(signal, () => backoff.reset());
      const waitMs = refused
        ? (this.#options.refusedRetryMs ?? REFUSED_RETRY_MS) * (1 + Math.random())
        : backoff.next();
      await sleep(waitMs, signal);
    }
  }

  /** True where the collector refused this agent. */
  async #runSession(signal: AbortSignal, reset: () => void): Promise<boolean> {
    const session = new UplinkSession(this.#options.open(), {
      ...this.#options,
      onAnswers: ({ dropped, duplicates }) => {
        this.duplicates += duplicates;
        for (const [reason, rows] of dropped) this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + rows);
      },
    });
    this.#session = session;
    const leave = (): void => session.leave(LEAVE_WITHIN_MS);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await session.run((welcome) => {
        reset();
        this.#welcomed(welcome);
      });
      return false;
    } catch (error) {
      if (!(error instanceof StreamEnd)) throw error;
      return this.#ended(error);
    } finally {
      this.#session = null;
      signal.removeEventListener('abort', leave);
    }
  }

  #welcomed({ agentId, regionId, timeline }: Welcome): void {
    this.sessions += 1;
    this.#problem = null;
    this.#options.logger.info({ agentId, regionId }, 'collector reached');
    if (this.#timeline !== null && this.#timeline !== timeline) {
      this.#options.logger.warn({ timeline }, 'database failed over: what was acknowledged lately is sent again');
      this.#options.spool.reopen();
    }
    this.#timeline = timeline;
  }

  #ended({ code, message }: StreamEnd): boolean {
    const refused = REFUSALS.includes(code);
    const problem = refused ? `the collector refuses this agent: ${message}` : `no collector: ${message}`;
    if (problem !== this.#problem) this.#options.logger[refused ? 'error' : 'warn']({ code }, problem);
    this.#problem = problem;
    return refused;
  }
}

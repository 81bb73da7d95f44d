import { isIP } from 'node:net';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { PING_INTERVAL_MS } from '../../../core/type-data.ts';
import type { Family } from './address.ts';
import { monotonicUs, untilGridMs } from './grid.ts';
import { summariseRoundTrips, unmeasuredEcho, type EchoProblem, type HostEcho } from './host-echo.ts';
import { KeptProcess, type ProcessExit } from './kept-process.ts';
import type { EchoRow, FamilyProblems, FromProcess, PingRow } from './protocol.ts';

/** What a result may take beyond its own packets' time: a busy machine takes seconds for 10,000 hosts at once. */
const GRACE_MS = 3000;
const SWEEP_MS = 500;
/** A timer that fires later than this says that we were held up, not the process. */
const STALL_MS = 250;
/** A process that answers nothing for so long is ended; until then it may only be stopped. */
const HUNG_MS = 10_000;
/** A busy machine takes its time to start a process, and that answers this first. */
const ABLE_MS = 30_000;
const ROWS_PER_MESSAGE = 500;

export interface IcmpOptions {
  /** How to start the ICMP process; by default Node with the entry beside this file. */
  command?: readonly string[];
  /** The process ended and will be started again. */
  onExit?: (exit: ProcessExit) => void;
}

export interface IcmpClient {
  /**
   * Sends `count` echo requests (RFC 792, RFC 4443) to an address, PING_INTERVAL_MS apart, each with `timeoutMs` to
   * come back. Resolves also when `signal` aborts or the ICMP process dies, with problem `cut`; rejects only where
   * `address` is not one of `family`.
   */
  ping(address: string, family: Family, count: number, timeoutMs: number, signal: AbortSignal): Promise<HostEcho>;
  /**
   * Whether this agent can ping at all, by family: opens the sockets if need be. A process that does not say so in half a
   * minute is ended, and another one started.
   */
  able(): Promise<FamilyProblems>;
  /** The ICMP process; undefined between two of them. */
  readonly pid: number | undefined;
  /** Ends the process; what is still asked resolves as cut. */
  close(): Promise<void>;
}

/** Starts the ICMP process, which lives until `close` or the end of this one. */
export function startIcmp(options: IcmpOptions = {}): IcmpClient {
  return new ProcessClient(options);
}

/** Node with the ICMP process's entry, whose extension is this file's: TypeScript under tsx, JavaScript compiled. */
export function icmpCommand(): string[] {
  const entry = new URL(import.meta.url.endsWith('.ts') ? 'icmp-process.ts' : 'icmp-process.js', import.meta.url);
  const loader = entry.pathname.endsWith('.ts') ? ['--import', 'tsx'] : [];
  return [execPath, ...loader, fileURLToPath(entry)];
}

interface Pending {
  resolve: (echo: HostEcho) => void;
  /** When the process should have answered at the latest. */
  overdueAt: number;
  signal: AbortSignal;
}

interface Asked {
  resolve: (problems: FamilyProblems) => void;
  overdueAt: number;
}

interface Watch {
  keys: Set<number>;
  stop: () => void;
}

class ProcessClient implements IcmpClient {
  readonly #process: KeptProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #asked = new Map<number, Asked>();
  /** One listener a signal, however many hosts a check has. */
  readonly #watches = new Map<AbortSignal, Watch>();
  #outbox: PingRow[] = [];
  #nextKey = 1;
  #heardAt = 0;
  #sweepTimer: NodeJS.Timeout | undefined;
  /** Why there is no process to ask, where there is none. */
  #absence = 'the ICMP process cannot be started';

  constructor({ command = icmpCommand(), onExit }: IcmpOptions) {
    this.#process = new KeptProcess({
      command,
      message: (message) => this.#hear(message),
      exit: (exit) => {
        this.#absence = `the ICMP process ended (${exit.reason})`;
        this.#cutAll(this.#absence);
        onExit?.(exit);
      },
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  ping(address: string, family: Family, count: number, timeoutMs: number, signal: AbortSignal): Promise<HostEcho> {
    // The binding would send it anywhere.
    if (isIP(address) !== family) return Promise.reject(new Error(`'${address}' is no IPv${family} address`));
    if (signal.aborted) return Promise.resolve(unmeasuredEcho(ABORTED));
    return new Promise((resolve) => {
      const key = this.#nextKey++;
      const worstMs = (count - 1) * PING_INTERVAL_MS + timeoutMs;
      const now = performance.now();
      // Silence begins with the first question.
      if (this.#pending.size === 0) this.#heardAt = now;
      this.#pending.set(key, { resolve, overdueAt: now + worstMs + GRACE_MS, signal });
      this.#watch(signal, key);
      if (this.#outbox.length === 0) setTimeout(() => this.#flush(), untilGridMs(monotonicUs()));
      this.#outbox.push([key, address, family, count, timeoutMs]);
      this.#sweepTimer ??= this.#armSweep();
    });
  }

  able(): Promise<FamilyProblems> {
    return new Promise((resolve) => {
      const key = this.#nextKey++;
      this.#asked.set(key, { resolve, overdueAt: performance.now() + ABLE_MS });
      this.#sweepTimer ??= this.#armSweep();
      if (!this.#process.send({ kind: 'able', key })) this.#cutAll(this.#absence);
    });
  }

  async close(): Promise<void> {
    this.#cutAll('the ICMP client was closed');
    await this.#process.close();
  }

  #flush(): void {
    const rows = this.#outbox.filter(([key]) => this.#pending.has(key));
    this.#outbox = [];
    for (let from = 0; from < rows.length; from += ROWS_PER_MESSAGE) {
      const part = rows.slice(from, from + ROWS_PER_MESSAGE);
      if (!this.#process.send({ kind: 'ping', intervalMs: PING_INTERVAL_MS, rows: part }))
        return this.#cutAll(this.#absence);
    }
  }

  #hear(message: FromProcess): void {
    this.#heardAt = performance.now();
    if (message.kind === 'able') {
      this.#tell(message.key, message.problems);
    } else for (const row of message.rows) this.#settle(row[0], echoOf(row));
  }

  #settle(key: number, echo: HostEcho): void {
    const pending = this.#pending.get(key);
    // Answers to what was cut meanwhile still arrive.
    if (pending === undefined) return;
    this.#pending.delete(key);
    this.#unwatch(pending.signal, key);
    pending.resolve(echo);
  }

  #tell(key: number, problems: FamilyProblems): void {
    this.#asked.get(key)?.resolve(problems);
    this.#asked.delete(key);
  }

  #cutAll(detail: string): void {
    clearTimeout(this.#sweepTimer);
    this.#sweepTimer = undefined;
    const problem: EchoProblem = { reason: 'cut', detail };
    for (const key of [...this.#pending.keys()]) this.#settle(key, unmeasuredEcho(problem));
    for (const key of [...this.#asked.keys()]) this.#tell(key, { 4: problem, 6: problem });
  }

  #watch(signal: AbortSignal, key: number): void {
    const known = this.#watches.get(signal);
    if (known) return void known.keys.add(key);
    const keys = new Set([key]);
    const abort = (): void => {
      const cut = [...keys];
      this.#process.send({ kind: 'cancel', keys: cut });
      for (const each of cut) this.#settle(each, unmeasuredEcho(ABORTED));
    };
    signal.addEventListener('abort', abort);
    this.#watches.set(signal, { keys, stop: () => signal.removeEventListener('abort', abort) });
  }

  #unwatch(signal: AbortSignal, key: number): void {
    const watch = this.#watches.get(signal);
    watch?.keys.delete(key);
    if (watch?.keys.size !== 0) return;
    watch.stop();
    this.#watches.delete(signal);
  }

  #armSweep(): NodeJS.Timeout {
    const dueAt = performance.now() + SWEEP_MS;
    return setTimeout(() => this.#sweep(performance.now() - dueAt), SWEEP_MS);
  }

  #giveUp(keys: number[], silentMs: number): void {
    if (silentMs > HUNG_MS) this.#process.kill();
    else this.#process.send({ kind: 'cancel', keys });
  }

  /** A process that does not answer has been stopped or hangs: what it was asked is known to nobody. */
  #sweep(lateMs: number): void {
    const now = performance.now();
    // If we were held up ourselves, its answers wait in the channel: they are read before the next sweep.
    if (lateMs <= STALL_MS) {
      const overdue = overdueOf(this.#pending, now);
      for (const key of overdue) this.#settle(key, unmeasuredEcho(SILENT));
      if (overdue.length > 0) this.#giveUp(overdue, now - this.#heardAt);
      const unsaid = overdueOf(this.#asked, now);
      for (const key of unsaid) this.#tell(key, { 4: SILENT, 6: SILENT });
      if (unsaid.length > 0) this.#process.kill();
    }
    this.#sweepTimer = this.#pending.size + this.#asked.size > 0 ? this.#armSweep() : undefined;
  }
}

function overdueOf(questions: ReadonlyMap<number, { overdueAt: number }>, now: number): number[] {
  return [...questions].filter(([, { overdueAt }]) => overdueAt < now).map(([key]) => key);
}

function echoOf([, sent, received, roundTripsUs, error, problem]: EchoRow): HostEcho {
  return { sent, received, ...summariseRoundTrips(roundTripsUs), roundTripsUs, error, problem };
}

const ABORTED: EchoProblem = { reason: 'cut', detail: 'ended before its time' };
const SILENT: EchoProblem = { reason: 'stalled', detail: 'the ICMP process does not answer' };

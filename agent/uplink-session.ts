import { decodeAck } from '../proto/ack-codec.ts';
import type { AgentStream } from '../proto/agent-stream.ts';
import {
  PROTOCOL,
  type Ack,
  type AgentMessage,
  type AgentStatus,
  type CheckRequest,
  type Hello,
  type Welcome,
} from '../proto/messages.ts';
import { encodeResults, MOST_SENT_ROWS } from '../proto/results-codec.ts';
import { StreamEnd } from '../proto/stream-end.ts';
import { MINUTE_SECONDS } from '../core/minute.ts';
import { sleep } from '../runtime/time.ts';
import type { ServiceClock } from './service-clock.ts';
import { rowsOf, type Parcel } from './spool/parcel.ts';
import type { Spool } from './spool/spool.ts';
import { UplinkWindow } from './uplink-window.ts';

/** What a session works with; the same for all sessions of an agent. */
export interface SessionParts {
  clock: ServiceClock;
  spool: Spool;
  /** Told the monotonic time at which something was sent that is now acknowledged. */
  onAck: (sentMs: number) => void;
  /** Told how many rows a batch has that is sent. */
  onBatch?: (rows: number) => void;
  /** Told what became of the rows of a batch. */
  onAnswers: (answers: { dropped: Map<string, number>; duplicates: number }) => void;
  status: () => AgentStatus;
  /** Runs a check on demand; its answer is text, as the wire has it. */
  answer: (request: CheckRequest) => Promise<{ outcome: string; error: string }>;
  hello: () => Omit<Hello, 'protocol'>;
}

const LIVE_ROWS = 2000;
const BACKLOG_ROWS = MOST_SENT_ROWS;
const STATUS_EVERY_MS = 10_000;
/** The pump looks at least this often: rows that wait for their retry become due by themselves. */
const LOOK_EVERY_MS = 1000;
const WELCOME_WITHIN_MS = 15_000;
/** Two empty batches, sent as proof of the connection, are at least this far apart. */
const PROOF_EVERY_MS = 200;
const DRAIN_WITHIN_MS = 5000;

/** One stream's life, from hello to its end. */
export class UplinkSession {
  readonly #stream: AgentStream;
  readonly #parts: SessionParts;
  readonly #window = new UplinkWindow();
  #welcome: Welcome | null = null;
  #helloMs = 0;
  #capabilities = '';
  #statusDueMs = 0;
  #proofWanted = false;
  #proofSentMs = -Infinity;
  /** Monotonic milliseconds by which the stream is to be left; null: it is not. */
  #leaveByMs: number | null = null;
  #saysLeave = false;
  readonly #over = new AbortController();
  #wake: () => void = () => undefined;

  constructor(stream: AgentStream, parts: SessionParts) {
    this.#stream = stream;
    this.#parts = parts;
  }

  get inFlight(): number {
    return this.#window.size;
  }

  get welcome(): Welcome | null {
    return this.#welcome;
  }

  /**
   * Runs until the stream ends: returns where the agent or the collector wished it, and rejects with what went wrong.
   * Whatever was not answered is given back to the spool. `onWelcome` is called once the collector takes results.
   */
  async run(onWelcome: (welcome: Welcome) => void): Promise<void> {
    const reading = this.#read(onWelcome).finally(() => {
      this.#over.abort();
      this.#wake();
    });
    const pumping = this.#pump().finally(() => this.#stream.close());
    const watching = this.#watch().finally(() => this.#stream.close());
    try {
      const [watched, pumped, read] = await Promise.allSettled([watching, pumping, reading]);
      // What was waited for in vain is why the rest ended.
      if (watched.status === 'rejected') throw watched.reason;
      if (pumped.status === 'rejected' && !isCancelled(pumped.reason)) throw pumped.reason;
      // Why the stream ended stands in what was read: that nothing can be sent any more only follows from it.
      if (read.status === 'rejected' && !(pumped.status === 'fulfilled' && isCancelled(read.reason))) throw read.reason;
    } finally {
      for (const parcel of this.#window.clear()) this.#parts.spool.release(parcel);
    }
  }

  /** There is something to send. */
  look(): void {
    this.#wake();
  }

  /** Sends something that is acknowledged at once, if it can. */
  ask(): void {
    this.#proofWanted = true;
    this.#wake();
  }

  /** Sends what can be sent in `withinMs`, waits for answers, and says goodbye. */
  leave(withinMs: number): void {
    this.#saysLeave = true;
    this.#leaveByMs = this.#nowMs() + withinMs;
    this.#wake();
  }

  async #read(onWelcome: (welcome: Welcome) => void): Promise<void> {
    for await (const message of this.#stream.messages) {
      switch (message.body) {
        case 'welcome':
          this.#welcome = message.welcome;
          this.#learn(this.#helloMs, message.welcome.clockUs);
          onWelcome(message.welcome);
          break;
        case 'ack':
          this.#take(message.ack);
          break;
        case 'drain':
          this.#leaveByMs = this.#nowMs() + DRAIN_WITHIN_MS;
          break;
        case 'checkRequest':
          void this.#answer(message.checkRequest);
          break;
        case undefined:
          break;
      }
      this.#wake();
    }
  }

  #take(ack: Ack): void {
    const sent = this.#window.acknowledge(ack.batch, this.#nowMs());
    if (sent === undefined) return;
    this.#learn(sent.sentMs, ack.clockUs);
    this.#parts.onAck(sent.sentMs);
    if (sent.parcel === null) return;
    const answers = decodeAck(ack, rowsOf(sent.parcel));
    this.#parts.spool.settle(sent.parcel, answers);
    const dropped = new Map<string, number>();
    let duplicates = 0;
    for (const { answer, reason } of answers) {
      const word = reason?.split(':', 1)[0] ?? 'unknown';
      if (answer === 'dropped') dropped.set(word, (dropped.get(word) ?? 0) + 1);
      if (answer === 'duplicate') duplicates += 1;
    }
    this.#parts.onAnswers({ dropped, duplicates });
  }

  #learn(sentMs: number, clockUs: number): void {
    this.#parts.clock.learn({ sentMs, receivedMs: this.#nowMs(), clockUs });
  }

  async #answer(request: CheckRequest): Promise<void> {
    const answer = await this.#parts.answer(request);
    try {
      await this.#stream.send({ body: 'checkAnswer', checkAnswer: { requestId: request.requestId, ...answer } });
    } catch (error) {
      // The stream ended meanwhile: who asked has seen that too.
      if (!(error instanceof StreamEnd)) throw error;
    }
  }

  async #pump(): Promise<void> {
    this.#helloMs = this.#nowMs();
    const hello = this.#parts.hello();
    this.#capabilities = hello.capabilities.join();
    await this.#stream.send({ body: 'hello', hello: { protocol: PROTOCOL, ...hello } });
    while (!this.#over.signal.aborted) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      if (this.#welcome !== null) {
        while (await this.#sendNext(this.#welcome.maxInFlight));
        if (this.#isToLeave()) return this.#goodbye();
      } else if (this.#saysLeave) return;
      await sleep(LOOK_EVERY_MS, woken.signal);
    }
  }

  /** Looks beside the pump, which waits for as long as a collector reads nothing. @throws StreamEnd, see `expectAnswers`. */
  async #watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      this.#expectAnswers();
      this.#leaveIfOutgrown();
      await sleep(LOOK_EVERY_MS, this.#over.signal);
    }
  }

  /** A hello holds for its whole stream: who can do more or less than it said begins another. */
  #leaveIfOutgrown(): void {
    if (this.#leaveByMs !== null || this.#parts.hello().capabilities.join() === this.#capabilities) return;
    this.#leaveByMs = this.#nowMs() + DRAIN_WITHIN_MS;
    this.#wake();
  }

  /** @throws StreamEnd where the collector has been silent for too long. */
  #expectAnswers(): void {
    const nowMs = this.#nowMs();
    if (this.#welcome === null && nowMs - this.#helloMs > WELCOME_WITHIN_MS) {
      throw new StreamEnd('DEADLINE_EXCEEDED', 'no welcome');
    }
    if (this.#leaveByMs !== null && nowMs - this.#leaveByMs > LOOK_EVERY_MS) {
      throw new StreamEnd('DEADLINE_EXCEEDED', 'nothing more is taken');
    }
    if (this.#window.isForgotten(nowMs)) throw new StreamEnd('DEADLINE_EXCEEDED', 'no acknowledgement');
  }

  #isToLeave(): boolean {
    if (this.#leaveByMs === null) return false;
    return this.#window.size === 0 || this.#nowMs() >= this.#leaveByMs;
  }

  async #goodbye(): Promise<void> {
    if (this.#saysLeave) await this.#stream.send({ body: 'leave', leave: {} });
  }

  /** Sends one message; false where there is none to send now. */
  async #sendNext(maxInFlight: number): Promise<boolean> {
    const message =
      this.#nextStatus() ?? (await this.#nextBatchMessage(Math.max(1, maxInFlight))) ?? this.#nextProof(maxInFlight);
    if (message === null) return false;
    await this.#stream.send(message);
    return true;
  }

  #nextStatus(): AgentMessage | null {
    if (this.#nowMs() < this.#statusDueMs) return null;
    this.#statusDueMs = this.#nowMs() + STATUS_EVERY_MS;
    return { body: 'status', status: this.#parts.status() };
  }

  async #nextBatchMessage(maxInFlight: number): Promise<AgentMessage | null> {
    const isDraining = this.#leaveByMs !== null && !this.#saysLeave;
    if (isDraining || this.#window.size >= maxInFlight) return null;
    const live = this.#parts.spool.takeLive(LIVE_ROWS);
    const parcel = live ?? (await this.#takeBacklog(maxInFlight));
    if (parcel === null) return null;
    // What was kept before any definitions were known belongs to the database that answers now.
    this.#parts.onBatch?.(rowsOf(parcel));
    const epoch = parcel.epoch === '' ? (this.#welcome?.epoch ?? '') : parcel.epoch;
    return messageOf(this.#window.add(parcel, live === null, this.#nowMs()), epoch, parcel);
  }

  /** The backlog comes after fresh results; who leaves has no time for it. */
  async #takeBacklog(maxInFlight: number): Promise<Parcel | null> {
    const isRoom = this.#window.hasBacklogRoom(maxInFlight) && !this.#saysLeave;
    return isRoom ? this.#parts.spool.takeBacklog(BACKLOG_ROWS) : null;
  }

  #nextProof(maxInFlight: number): AgentMessage | null {
    const nowMs = this.#nowMs();
    const isTime = this.#proofWanted && nowMs - this.#proofSentMs >= PROOF_EVERY_MS;
    if (!isTime || this.#window.size >= maxInFlight) return null;
    this.#proofWanted = false;
    this.#proofSentMs = nowMs;
    return { body: 'results', results: encodeResults(this.#window.add(null, false, nowMs), '', []) };
  }

  #nowMs(): number {
    return this.#parts.clock.monotonicMs();
  }
}

function messageOf(batch: number, epoch: string, parcel: Parcel): AgentMessage {
  if (parcel.kind === 'results') return { body: 'results', results: encodeResults(batch, epoch, parcel.results) };
  const absences = parcel.absences.map(({ from, to, reason }) => ({
    fromMinute: from / MINUTE_SECONDS,
    toMinute: to / MINUTE_SECONDS,
    reason,
  }));
  return { body: 'absences', absences: { batch, epoch, absences } };
}

function isCancelled(error: unknown): boolean {
  return error instanceof StreamEnd && error.code === 'CANCELLED';
}

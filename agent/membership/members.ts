import type { Heartbeat } from '../../proto/members.ts';
import { Neighbours } from './neighbours.ts';
import { View, type Tenure } from './view.ts';

/** What makes an agent able to run a share. */
export interface Able {
  /** The definitions it has adopted. */
  epoch: string;
  generation: number;
  /** The kinds of probes that work. */
  kinds: string[];
}

export interface MembersOptions {
  /** Names this life of the process. */
  session: string;
  agentId: number;
  /** Null: it is not able yet. */
  able: () => Able | null;
  /** The service clock, unix milliseconds. */
  nowMs: () => number;
  monotonicMs: () => number;
  publish: (beat: Heartbeat) => void;
  /** Who is there has changed; told for the first time when the others had time to speak. */
  onView: (view: View) => void;
}

const BEAT_MS = 2000;
/** A tenure begins with the next minute that is at least this far away: by then everyone has heard of it. */
const NOTICE_MS = 4000;
/** And ends this long after it was announced. */
const LEAVE_NOTICE_MS = 3000;
/** Once the own heartbeat comes back, those of the others have this long to follow. */
const LISTEN_MS = 1000;
/** Where NATS does not answer at all, an agent begins alone. */
const ALONE_AFTER_MS = 6000;
/** Without an echo for this long nobody is known to hear. */
const UNHEARD_MS = 5000;
const MUTE_PROBLEM_MS = 10_000;
const MINUTE_MS = 60_000;

/**
 * One agent's part in the division of its region: speaks, listens, and says who is there. Silence of others counts only
 * while the own heartbeat is echoed back; while it is not, the last view stays.
 */
export class Members {
  readonly #options: MembersOptions;
  readonly #neighbours = new Neighbours();
  readonly #bornMs: number;
  readonly #startedMs: number;
  #sequence = 0;
  #fromMs: number | null = null;
  #untilMs: number | null = null;
  #hasLeft = false;
  #nextBeatMs = 0;
  #said = '';
  #told = '';
  #connectedMs: number | null = null;
  #firstEchoMs: number | null = null;
  #echoMs: number | null = null;
  #twinMs: number | null = null;
  #isSettled = false;

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#bornMs = options.nowMs();
    this.#startedMs = options.monotonicMs();
  }

  /** Agents that share the region's monitors, this one included. */
  get size(): number {
    return this.#neighbours.size + 1;
  }

  /** What its owner should know; null: nothing. */
  problem(): string | null {
    if (this.#since(this.#twinMs) < MUTE_PROBLEM_MS) return 'another agent runs under the identity of this one';
    const silentMs = Math.min(this.#since(this.#connectedMs), this.#since(this.#echoMs));
    return this.#connectedMs !== null && silentMs > MUTE_PROBLEM_MS
      ? 'the heartbeats of this agent do not come back from NATS'
      : null;
  }

  #since(ms: number | null): number {
    return ms === null ? Infinity : this.#options.monotonicMs() - ms;
  }

  /** The others can be heard from now on. */
  connected(): void {
    this.#connectedMs = this.#options.monotonicMs();
    this.#interrupted();
    this.#nextBeatMs = 0;
    this.tick();
  }

  disconnected(): void {
    this.#connectedMs = null;
    this.#interrupted();
  }

  #interrupted(): void {
    this.#echoMs = null;
    this.#neighbours.beginToCount(null);
  }

  /**
   * A heartbeat came, from the agent that may speak on its subject. What follows from it is done with the next tick:
   * nobody can make this agent speak, or divide the region anew, more often than it ticks.
   */
  hear(agentId: number, beat: Heartbeat): void {
    const nowMs = this.#options.monotonicMs();
    const isOwnSession = beat.session === this.#options.session;
    if (agentId === this.#options.agentId) {
      if (isOwnSession) this.#echo(beat.sequence, nowMs);
      else this.#twinMs = beat.phase === 'left' ? null : nowMs;
      return;
    }
    // Who has just come learns at once who is there. Another agent that speaks of this one's life is not heeded.
    if (!isOwnSession && this.#neighbours.hear(agentId, beat, nowMs)) this.#nextBeatMs = 0;
  }

  #echo(sequence: number, nowMs: number): void {
    this.#firstEchoMs ??= nowMs;
    if (this.#echoMs === null) this.#neighbours.beginToCount(nowMs);
    this.#echoMs = nowMs;
    this.#neighbours.countEcho(sequence);
  }

  /** Does what time brings; to be called a few times a second. */
  tick(): void {
    const { able, nowMs, monotonicMs } = this.#options;
    this.#isSettled ||= this.#hasListened();
    // A minute that has begun nowhere: until then the others go on as if this agent were not there.
    if (this.#isSettled && able() !== null) this.#fromMs ??= Math.ceil((nowMs() + NOTICE_MS) / MINUTE_MS) * MINUTE_MS;
    this.#neighbours.look(monotonicMs(), nowMs(), able());
    this.#tell();
    this.#speak();
  }

  #hasListened(): boolean {
    const isAnswered = this.#firstEchoMs !== null && this.#since(this.#firstEchoMs) >= LISTEN_MS;
    return isAnswered || this.#since(this.#startedMs) >= ALONE_AFTER_MS;
  }

  #tell(): void {
    if (!this.#isSettled) return;
    const tenures = this.#tenures();
    const text = JSON.stringify(tenures);
    if (text === this.#told) return;
    this.#told = text;
    this.#options.onView(new View(this.#options.session, tenures));
  }

  #tenures(): Tenure[] {
    const { session, agentId, able } = this.#options;
    const [fromMs, untilMs] = [this.#fromMs, this.#untilMs];
    const kinds = able()?.kinds ?? [];
    const own = { agentId, session, fromMs, untilMs, kinds, lacksAfter: null };
    return [own, ...this.#neighbours.tenures(able())];
  }

  #speak(): void {
    if (this.#connectedMs === null) return;
    const nowMs = this.#options.monotonicMs();
    const beat = this.#heartbeat();
    const said = JSON.stringify({ ...beat, sequence: 0 });
    if (nowMs < this.#nextBeatMs && said === this.#said) return;
    this.#said = said;
    this.#nextBeatMs = nowMs + BEAT_MS;
    this.#neighbours.noteBeat(++this.#sequence);
    this.#options.publish({ ...beat, sequence: this.#sequence });
  }

  #heartbeat(): Heartbeat {
    const { epoch, generation, kinds } = this.#options.able() ?? { epoch: '', generation: 0, kinds: [] };
    return {
      session: this.#options.session,
      bornMs: this.#bornMs,
      phase: this.#hasLeft ? 'left' : this.#fromMs === null ? 'joining' : 'member',
      sequence: this.#sequence,
      fromMs: this.#fromMs,
      untilMs: this.#untilMs,
      epoch,
      generation,
      kinds,
    };
  }

  /**
   * Announces that this agent leaves. Returns the moment from which on its slots are the others', unix milliseconds; null
   * where nobody is there to take them, or to hear of it.
   */
  leave(): number | null {
    const untilMs = Math.ceil(this.#options.nowMs()) + LEAVE_NOTICE_MS;
    const isHeard = this.#since(this.#echoMs) < UNHEARD_MS;
    if (!isHeard || this.#fromMs === null || !this.#neighbours.anyoneAt(untilMs)) return null;
    this.#untilMs = untilMs;
    this.tick();
    return untilMs;
  }

  /** Says that everything that was this agent's own is done. */
  left(): void {
    this.#hasLeft = true;
    this.tick();
  }
}

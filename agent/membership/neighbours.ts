import type { Heartbeat } from '../../proto/members.ts';
import type { Tenure } from './view.ts';

/** Silence of this long, with this many own heartbeats echoed meanwhile, means that an agent is gone. */
const SILENT_MS = 6000;
const SILENT_ECHOES = 3;
/** Definitions go round within a second: who has older ones for this long cannot run the newer ones. */
const BEHIND_MS = 10_000;
/** What an agent had until it left is asked for as long as a minute can still be made up for. */
const REMEMBER_MS = 90_000;
/** Lives of one agent that took leave and are remembered: who restarts more often than that has lost nothing by it. */
const MAX_LEFT = 4;

/** Which definitions an agent has adopted. */
export type Adopted = Pick<Heartbeat, 'epoch' | 'generation'>;

interface Neighbour {
  agentId: number;
  beat: Heartbeat;
  heardMs: number;
  /** The own sequence when it was heard last. */
  heardAt: number;
  /** Own heartbeats, sent after that, that came back. */
  echoes: number;
  behindSinceMs: number | null;
  isBehind: boolean;
}

/** The other agents of the region, as far as they are heard. Times are monotonic unless they say otherwise. */
export class Neighbours {
  /** By agent and session: an agent can speak for lives of its own only. */
  readonly #lives = new Map<string, Neighbour>();
  #sequence = 0;
  /** Since when the own heartbeat comes back without interruption; null: it does not. */
  #countingSinceMs: number | null = null;

  /** Silence begins to count anew at `ms`; null: it does not count. */
  beginToCount(ms: number | null): void {
    this.#countingSinceMs = ms;
    for (const neighbour of this.#lives.values()) Object.assign(neighbour, { echoes: 0, behindSinceMs: null });
  }

  /** An own heartbeat goes out. */
  noteBeat(sequence: number): void {
    this.#sequence = sequence;
  }

  /** An own heartbeat came back: who was heard before it was sent has been silent meanwhile. */
  countEcho(sequence: number): void {
    for (const neighbour of this.#lives.values()) if (neighbour.heardAt < sequence) neighbour.echoes += 1;
  }

  /** Returns whether it is the first word of that life of the agent. */
  hear(agentId: number, beat: Heartbeat, nowMs: number): boolean {
    const others = [...this.#lives].filter(([, one]) => one.agentId === agentId && one.beat.session !== beat.session);
    const current = others.filter(([, one]) => one.beat.phase !== 'left');
    if (current.some(([, one]) => one.beat.bornMs > beat.bornMs)) return false;
    // A new life: the one before it has ended, whatever it still had to do.
    for (const [key] of current) this.#lives.delete(key);
    for (const [key] of others.slice(0, -MAX_LEFT)) this.#lives.delete(key);
    const key = `${agentId} ${beat.session}`;
    const known = this.#lives.get(key);
    this.#lives.set(key, {
      ...(known ?? { behindSinceMs: null, isBehind: false }),
      agentId,
      beat,
      heardMs: nowMs,
      heardAt: this.#sequence,
      echoes: 0,
    });
    return known === undefined;
  }

  /** Looks who has become silent or fallen behind; `serviceMs` is the service clock. */
  look(nowMs: number, serviceMs: number, own: Adopted | null): void {
    for (const [key, neighbour] of this.#lives) {
      if (this.#isGone(neighbour, nowMs, serviceMs)) this.#lives.delete(key);
      else if (own !== null && this.#countingSinceMs !== null) noteBehind(neighbour, own, nowMs);
    }
  }

  #isGone({ beat, heardMs, echoes }: Neighbour, nowMs: number, serviceMs: number): boolean {
    if (beat.phase === 'left') return serviceMs - (beat.untilMs ?? 0) > REMEMBER_MS;
    if (this.#countingSinceMs === null || echoes < SILENT_ECHOES) return false;
    return nowMs - Math.max(heardMs, this.#countingSinceMs) >= SILENT_MS;
  }

  /** Those that are able, and those that were and took leave; `own`: the definitions of the agent that looks. */
  tenures(own: Adopted | null): Tenure[] {
    const able = [...this.#lives.values()].filter(({ beat }) => beat.phase !== 'joining');
    return able.map((neighbour) => tenureOf(neighbour, own));
  }

  /** How many are there to stay. */
  get size(): number {
    return [...this.#lives.values()].filter(({ beat }) => beat.phase === 'member' && beat.untilMs === null).length;
  }

  /** Whether anyone runs its share at `serviceMs` and stays. */
  anyoneAt(serviceMs: number): boolean {
    return [...this.#lives.values()].some(
      ({ beat }) => beat.phase === 'member' && beat.untilMs === null && (beat.fromMs ?? Infinity) <= serviceMs,
    );
  }
}

function noteBehind(neighbour: Neighbour, own: Adopted, nowMs: number): void {
  const { beat, behindSinceMs } = neighbour;
  const isBehind = beat.epoch !== own.epoch || beat.generation < own.generation;
  neighbour.behindSinceMs = isBehind ? (behindSinceMs ?? nowMs) : null;
  neighbour.isBehind = isBehind && nowMs - (behindSinceMs ?? nowMs) >= BEHIND_MS;
}

function tenureOf({ agentId, beat, isBehind }: Neighbour, own: Adopted | null): Tenure {
  const { session, fromMs, untilMs, kinds, epoch, generation } = beat;
  const lacksAfter = isBehind ? (epoch === own?.epoch ? generation : -1) : null;
  return { agentId, session, fromMs, untilMs, kinds, lacksAfter };
}

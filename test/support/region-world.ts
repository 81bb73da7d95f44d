import type { Definition } from '../../core/definition.ts';
import type { Minute } from '../../core/minute.ts';
import { PROBE_KINDS } from '../../core/type-data.ts';
import { Members } from '../../agent/membership/members.ts';
import type { View } from '../../agent/membership/view.ts';
import type { Heartbeat } from '../../proto/members.ts';
import { ScheduleWorld, setOf } from './schedule-world.ts';

const STEP_MS = 250;
/** How long a heartbeat is under way, at most. */
const LATENCY_MS = 200;

interface Message {
  agentId: number;
  beat: Heartbeat;
  atMs: number;
}

/** One agent of a simulated region: its machine with a real schedule, and its real membership on a simulated bus. */
export class SimulatedAgent {
  readonly id: number;
  readonly world: ScheduleWorld;
  members: Members | null = null;
  kinds: string[] = [...PROBE_KINDS];
  /** Stands still until then. */
  pausedUntilMs = 0;
  isCut = false;
  lastView: View | null = null;
  /** From which moment on its slots are the others'; null while it stays. */
  leavesMs: number | null = null;
  /** The definitions it has adopted. */
  generation = 0;
  inbox: Message[] = [];
  readonly #region: RegionWorld;
  #lives = 0;

  constructor(id: number, region: RegionWorld) {
    this.id = id;
    this.#region = region;
    this.world = new ScheduleWorld({
      startMs: region.nowMs,
      duration: () => region.checkMs(),
      divide: () => undefined,
      lastView: () => this.lastView,
    });
  }

  get isAlive(): boolean {
    return this.members !== null;
  }

  get isRunning(): boolean {
    return this.isAlive && this.#region.nowMs >= this.pausedUntilMs;
  }

  async start(): Promise<void> {
    const { world } = this;
    world.trueMs = this.#region.nowMs;
    this.inbox = [];
    this.leavesMs = null;
    await world.start();
    await this.adopt();
    // Time passes for the one, the other is asked at any time: both are the machine's own clock.
    const clock = (): number => this.#region.nowMs;
    this.members = new Members({
      session: `${this.id}/${++this.#lives}`,
      agentId: this.id,
      able: () => ({ epoch: 'epoch-1', generation: this.generation, kinds: this.kinds }),
      nowMs: clock,
      monotonicMs: clock,
      publish: (beat) => {
        if (!this.isCut) this.#region.publish(this.id, beat);
      },
      onView: (view) => {
        this.lastView = view;
        world.schedule?.divide(view);
      },
    });
    if (!this.isCut) this.members.connected();
  }

  async adopt(): Promise<void> {
    this.generation = this.#region.generation;
    await this.world.adopt(setOf(this.#region.definitions, this.generation));
  }

  kill(): void {
    this.members = null;
    this.world.kill();
  }

  /** SIGTERM: hands over where anybody is there. */
  leave(): void {
    this.leavesMs = this.members?.leave() ?? this.#region.nowMs;
  }

  cut(isCut: boolean): void {
    if (this.isCut === isCut) return;
    this.isCut = isCut;
    this.inbox = [];
    if (isCut) this.members?.disconnected();
    else this.members?.connected();
  }

  async step(ms: number): Promise<void> {
    const { world, members } = this;
    if (!this.isRunning) return;
    world.stand(Math.max(0, this.#region.nowMs - ms - world.trueMs));
    // Timers and what lies in the socket come in any order after a pause.
    if (this.#region.random() < 0.5) members?.tick();
    const due = this.inbox.filter(({ atMs }) => atMs <= this.#region.nowMs);
    this.inbox = this.inbox.filter(({ atMs }) => atMs > this.#region.nowMs);
    for (const { agentId, beat } of due) members?.hear(agentId, beat);
    members?.tick();
    await world.run(this.#region.nowMs - world.trueMs);
    await this.#endIfDone();
  }

  async #endIfDone(): Promise<void> {
    const { world, members, leavesMs } = this;
    if (leavesMs === null || this.#region.nowMs < leavesMs || world.schedule?.isDoneUntil(leavesMs) !== true) return;
    await world.stop();
    members?.left();
    this.kill();
  }
}

/** A region of agents in time that is only counted. */
export class RegionWorld {
  nowMs: number;
  readonly agents: SimulatedAgent[];
  definitions: readonly Definition[];
  generation = 1;
  /** How long a check takes. */
  checkMs = (): number => this.random() * 900;
  readonly random: () => number;

  constructor(options: { startMs: number; agents: number; definitions: readonly Definition[]; random: () => number }) {
    this.nowMs = options.startMs;
    this.definitions = options.definitions;
    this.random = options.random;
    this.agents = Array.from({ length: options.agents }, (_, index) => new SimulatedAgent(index + 1, this));
  }

  publish(agentId: number, beat: Heartbeat): void {
    const atMs = this.nowMs + this.random() * LATENCY_MS;
    for (const { isCut, inbox } of this.agents) {
      // One connection keeps the order.
      if (!isCut) inbox.push({ agentId, beat, atMs: Math.max(atMs, inbox.at(-1)?.atMs ?? 0) });
    }
  }

  async run(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    while (this.nowMs < endMs) {
      const stepMs = Math.min(STEP_MS, endMs - this.nowMs);
      this.nowMs += stepMs;
      for (const agent of this.agents) await agent.step(stepMs);
    }
  }

  /** How often each slot of a minute was measured, by monitor. */
  measured(minute: Minute): Map<number, number[]> {
    const found = new Map(this.definitions.map(({ monitorId }) => [monitorId, [] as number[]]));
    for (const { id, world } of this.agents)
      for (const { result } of world.results)
        if (result.minute === minute && result.status !== 'UNKNOWN') found.get(result.monitorId)?.push(id);
    return found;
  }

  /** Slots of the minutes [from, to) that nobody has measured and written. */
  gaps(from: Minute, to: Minute): string[] {
    const written = new Set(
      this.agents.flatMap(({ world }) =>
        world
          .records()
          .flatMap((record) => (record.kind === 'results' ? record.results : []))
          .flatMap(({ minute, monitorId, status }) => (status === 'UNKNOWN' ? [] : [`${monitorId}@${minute}`])),
      ),
    );
    const gaps: string[] = [];
    for (let minute = from; minute < to; minute += 60)
      for (const { monitorId } of this.definitions)
        if (!written.has(`${monitorId}@${minute}`)) gaps.push(`monitor ${monitorId} at +${(minute - from) / 60}`);
    return gaps;
  }
}

import { canonicalAddress, type Family } from './address.ts';
import { packetTimeUs } from './grid.ts';
import { summariseRoundTrips, type EchoProblem, type HostEcho } from './host-echo.ts';
import type { Echo } from './packet.ts';
import type { Due } from './due-queue.ts';

/** A host to be asked: `count` packets, `intervalMs` apart, each with `timeoutMs` to come back. */
export interface EchoRequest {
  key: number;
  address: string;
  family: Family;
  count: number;
  timeoutMs: number;
  intervalMs: number;
}

/** One echo request in the air. */
export interface Packet extends Echo {
  job: Job;
  slot: number;
  sentUs: number;
  landed: boolean;
}

/** One host's packets and what has become of them so far. Pure: times come in, packets are told their fate. */
export class Job implements Due {
  readonly key: number;
  readonly family: Family;
  /** As given, for the kernel: it may carry a zone. */
  readonly address: string;
  /** As the kernel spells it in answers. */
  readonly source: string;
  readonly count: number;
  readonly timeoutUs: number;
  readonly intervalUs: number;
  dueUs: number;
  /** When the next packet is to leave. */
  nextUs: number;
  /** Not before this, where the send queue was full. */
  retryUs = 0;
  /** Packets whose turn has come, whether or not they could leave. */
  started = 0;
  ended = false;
  /** In the order of sending, so of their deadlines too; the landed ones at the front are dropped. */
  readonly inAir: Packet[] = [];
  #landed = 0;
  #sent = 0;
  #received = 0;
  readonly #roundTripsUs: number[] = [];
  #error: string | null = null;
  #problem: EchoProblem | null = null;

  constructor(request: EchoRequest, nowUs: number) {
    this.key = request.key;
    this.family = request.family;
    this.address = request.address;
    this.source = canonicalAddress(request.address, request.family);
    this.count = request.count;
    this.timeoutUs = request.timeoutMs * 1000;
    this.intervalUs = request.intervalMs * 1000;
    this.nextUs = packetTimeUs(nowUs);
    this.dueUs = this.nextUs;
  }

  get done(): boolean {
    return this.#landed === this.count;
  }

  /** When the next packet can leave. */
  get sendUs(): number {
    return Math.max(this.nextUs, this.retryUs);
  }

  sent(packet: Packet): void {
    this.#sent += 1;
    this.inAir.push(packet);
  }

  /** A reply; without a time where the process was held up and cannot know it. */
  replied(roundTripUs: number | null): void {
    this.#landed += 1;
    this.#received += 1;
    if (roundTripUs === null) this.#problem ??= { reason: 'stalled', detail: 'answered while the process was held up' };
    else this.#roundTripsUs.push(Math.round(roundTripUs));
  }

  /** No reply in time. */
  lost(): void {
    this.#landed += 1;
  }

  /** An ICMP error instead of a reply. */
  refused(error: string): void {
    this.#landed += 1;
    this.#error = error;
  }

  /** It was sent, but its silence proves nothing. */
  voided(problem: EchoProblem): void {
    this.#landed += 1;
    this.#sent -= 1;
    this.#problem = problem;
  }

  /** It could not leave. */
  unsent(problem: EchoProblem): void {
    this.#landed += 1;
    this.#problem = problem;
  }

  /** The earliest thing that must be looked at: the next sending or the oldest packet's deadline. */
  nextDueUs(): number {
    while (this.inAir[0]?.landed === true) this.inAir.shift();
    const oldest = this.inAir[0];
    const deadlineUs = oldest === undefined ? Infinity : oldest.sentUs + this.timeoutUs;
    return this.started < this.count ? Math.min(this.sendUs, deadlineUs) : deadlineUs;
  }

  /** A reply with a time proves the host alive whatever else happened; else any problem leaves it open. */
  result(): HostEcho {
    const alive = this.#roundTripsUs.length > 0;
    return {
      sent: this.#sent,
      received: this.#received,
      ...summariseRoundTrips(this.#roundTripsUs),
      roundTripsUs: this.#roundTripsUs,
      error: this.#error,
      problem: alive ? null : this.#problem,
    };
  }
}

import type { Family } from './address.ts';
import { DueQueue } from './due-queue.ts';
import { errnoOf, socketProblem } from './errno.ts';
import { icmpErrorText } from './error-text.ts';
import { EARLY_US, packetTimeUs } from './grid.ts';
import { Flights, type FillRandom } from './flights.ts';
import type { EchoProblem, HostEcho } from './host-echo.ts';
import { Job, type EchoRequest, type Packet } from './job.ts';
import { decode, ECHO_LENGTH, writeEchoRequest, type EchoError, type EchoReply } from './packet.ts';
import type { IcmpSocket, OpenSocket } from './socket.ts';

/** A hold-up longer than this makes silence prove nothing (architecture, "Whose fault"). */
const STALL_US = 250_000;
/** While packets are in the air, the process looks at the clock this often, so that it notices a hold-up. */
const BEAT_US = 100_000;
/** In a burst the sockets are read after so many sendings: neither do their buffers fill, nor do the replies age. */
const SENDS_PER_DRAIN = 32;
/** The first sendings of a run are each followed by a look: most runs are short, and their times are the better for it. */
const SINGLE_SENDS = 16;
/** A full send queue is tried again so much later, until the packet is as late as a hold-up. */
const SEND_RETRY_US = 2000;

export type Result = [key: number, echo: HostEcho];

export interface EngineTools {
  open: OpenSocket;
  /** See `monotonicUs`. */
  nowUs: () => number;
  fillRandom: FillRandom;
  isOnLink: (address: string, family: Family) => boolean;
  /** Hosts' results by key, once each, several together. */
  done: (results: Result[]) => void;
}

/**
 * Asks many hosts at once over one raw socket a family. It judges a packet only after it has read its sockets, and
 * after a hold-up of the process it judges no packet lost that was in the air meanwhile.
 */
export class EchoEngine {
  readonly #tools: EngineTools;
  readonly #jobs = new Map<number, Job>();
  readonly #queue = new DueQueue<Job>();
  readonly #flights: Flights<Packet>;
  readonly #sockets = new Map<Family, IcmpSocket>();
  readonly #buffer = Buffer.alloc(ECHO_LENGTH);
  #timer: NodeJS.Timeout | undefined;
  /** Up to here the process is known to have run freely, or to have had nothing to do. */
  #freeUntilUs = 0;
  #lastStallEndUs = -Infinity;
  #stalled = false;
  #finished: Result[] = [];
  #deliveryDue = false;
  #sinceDrain = 0;
  readonly #inAir = { 4: 0, 6: 0 };

  constructor(tools: EngineTools) {
    this.#tools = tools;
    this.#flights = new Flights(tools.fillRandom);
  }

  /** Starts asking; each request's `key` must be unused. */
  start(requests: readonly EchoRequest[]): void {
    const nowUs = this.#tools.nowUs();
    if (this.#flights.size === 0) this.#freeUntilUs = nowUs;
    for (const request of requests) {
      const job = new Job(request, nowUs);
      this.#jobs.set(job.key, job);
      this.#queue.push(job);
    }
    this.#run();
  }

  /** Stops asking; no result is given. */
  cancel(key: number): void {
    const job = this.#jobs.get(key);
    if (job !== undefined) this.#end(job);
  }

  /** Why sockets of a family cannot be had, null where they can. Opens the socket if need be. */
  problemOf(family: Family): EchoProblem | null {
    const socket = this.#socket(family);
    return 'reason' in socket ? socket : null;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const job of this.#jobs.values()) this.#end(job);
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
    this.#queue.clear();
  }

  #run(): void {
    this.#drain();
    let sent = 0;
    const again: Job[] = [];
    for (let job = this.#popDue(); job; job = this.#popDue()) {
      if (job.ended) continue;
      this.#advance(job);
      if (!this.#finishIfDone(job)) again.push(job);
      if (this.#sinceDrain >= (sent < SINGLE_SENDS ? 1 : SENDS_PER_DRAIN)) {
        sent += this.#sinceDrain;
        this.#drain();
      }
    }
    if (this.#sinceDrain > 0) this.#drain();
    for (const job of again) this.#enqueue(job);
    this.#deliver();
    this.#arm();
  }

  #popDue(): Job | undefined {
    const first = this.#queue.first();
    return first && first.dueUs <= this.#tools.nowUs() + EARLY_US ? this.#queue.pop() : undefined;
  }

  #enqueue(job: Job): void {
    if (job.ended) return;
    job.dueUs = job.nextDueUs();
    this.#queue.push(job);
  }

  #deliver(): void {
    if (this.#finished.length === 0) return;
    const results = this.#finished;
    this.#finished = [];
    this.#tools.done(results);
  }

  /** What came by itself waits for the next place on the grid. */
  #readable(socket: IcmpSocket): void {
    this.#drain(socket);
    if (this.#finished.length > 0 && !this.#deliveryDue) this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    while (this.#queue.first()?.ended === true) this.#queue.pop();
    const nowUs = this.#tools.nowUs();
    this.#deliveryDue = this.#finished.length > 0;
    const dueUs = Math.min(
      this.#queue.first()?.dueUs ?? Infinity,
      this.#flights.size > 0 ? nowUs + BEAT_US : Infinity,
      this.#deliveryDue ? packetTimeUs(nowUs) : Infinity,
    );
    if (dueUs === Infinity) return;
    this.#freeUntilUs = Math.max(dueUs, nowUs);
    this.#timer = setTimeout(() => this.#run(), Math.max(0, Math.ceil((dueUs - nowUs) / 1000)));
  }

  /**
   * Reads what has come (of a socket that says it has something: all of it), and takes note if the process was held up
   * before it could.
   */
  #drain(readable?: IcmpSocket): void {
    this.#sinceDrain = 0;
    const nowUs = this.#tools.nowUs();
    this.#stalled = nowUs - this.#freeUntilUs > STALL_US;
    if (this.#stalled) this.#lastStallEndUs = nowUs;
    if (readable) readable.drain(() => true);
    else for (const [family, socket] of this.#sockets) socket.drain(() => this.#inAir[family] > 0);
    this.#freeUntilUs = Math.max(this.#freeUntilUs, nowUs);
  }

  /** Judges what is overdue and sends what is due. */
  #advance(job: Job): void {
    const nowUs = this.#tools.nowUs();
    for (const packet of job.inAir) {
      if (packet.landed) continue;
      if (packet.sentUs + job.timeoutUs > nowUs) break;
      this.#land(packet);
      if (packet.sentUs < this.#lastStallEndUs) job.voided(STALLED);
      else job.lost();
    }
    if (job.started < job.count && job.sendUs <= nowUs + EARLY_US) this.#send(job, nowUs);
  }

  #send(job: Job, nowUs: number): void {
    const socket = this.#socket(job.family);
    if ('reason' in socket) return this.#giveUp(job, socket);
    const packet = this.#flights.launch((echo, slot) => ({ ...echo, job, slot, sentUs: 0, landed: false }));
    if (packet === null) return this.#skip(job, nowUs, EXHAUSTED);
    this.#inAir[job.family] += 1;
    writeEchoRequest(this.#buffer, job.family, packet);
    try {
      packet.sentUs = this.#tools.nowUs();
      socket.send(this.#buffer, ECHO_LENGTH, job.address);
    } catch (error) {
      this.#land(packet);
      return this.#notSent(job, nowUs, error);
    }
    job.sent(packet);
    this.#turn(job, nowUs);
    this.#sinceDrain += 1;
  }

  #notSent(job: Job, nowUs: number, error: unknown): void {
    // A queue that is full for a moment is nobody's fault: the packet leaves a little later.
    const isBusy = errnoOf(error) === 'EAGAIN' || errnoOf(error) === 'ENOBUFS';
    if (isBusy && nowUs - job.nextUs < STALL_US) job.retryUs = nowUs + SEND_RETRY_US;
    else this.#skip(job, nowUs, socketProblem('send', error));
  }

  #skip(job: Job, nowUs: number, problem: EchoProblem): void {
    job.unsent(problem);
    this.#turn(job, nowUs);
  }

  #giveUp(job: Job, problem: EchoProblem): void {
    while (job.started < job.count) {
      job.started += 1;
      job.unsent(problem);
    }
  }

  /** The grid of sendings is kept unless it was missed by a whole step: packets never leave close together. */
  #turn(job: Job, nowUs: number): void {
    job.started += 1;
    job.nextUs = (nowUs - job.nextUs > job.intervalUs ? nowUs : job.nextUs) + job.intervalUs;
  }

  #receive(family: Family, buffer: Buffer, length: number, source: string): void {
    const nowUs = this.#tools.nowUs();
    const answer = decode(family, buffer, length);
    if (answer === null) return;
    const packet = this.#flights.find(answer.id, answer.sequence);
    if (packet === undefined || packet.job.family !== family) return;
    if (answer.kind === 'reply') this.#reply(packet, answer, source, nowUs);
    else this.#error(packet, answer, source);
  }

  #reply(packet: Packet, reply: EchoReply, source: string, nowUs: number): void {
    const { job } = packet;
    if (source !== job.source || reply.cookieHigh !== packet.cookieHigh || reply.cookieLow !== packet.cookieLow) return;
    this.#land(packet);
    job.replied(this.#stalled ? null : nowUs - packet.sentUs);
    this.#finishIfDone(job);
  }

  #error(packet: Packet, error: EchoError, source: string): void {
    const { job } = packet;
    if (error.innerDestination !== job.source) return;
    const { cookie } = error;
    if (cookie && (cookie.high !== packet.cookieHigh || cookie.low !== packet.cookieLow)) return;
    this.#land(packet);
    const text = icmpErrorText(job.family, error.type, error.code, source);
    // Our own kernel says it: of a neighbour it is about the target, of anything behind a router about our own way out.
    const isOwnRoute = source === error.innerSource && source !== job.source;
    if (isOwnRoute && !this.#tools.isOnLink(job.source, job.family)) job.voided({ reason: 'route', detail: text });
    else job.refused(text);
    this.#finishIfDone(job);
  }

  #land(packet: Packet): void {
    packet.landed = true;
    this.#inAir[packet.job.family] -= 1;
    this.#flights.land(packet.slot);
  }

  #finishIfDone(job: Job): boolean {
    if (!job.done) return false;
    this.#end(job);
    this.#finished.push([job.key, job.result()]);
    return true;
  }

  #end(job: Job): void {
    job.ended = true;
    this.#jobs.delete(job.key);
    for (const packet of job.inAir) if (!packet.landed) this.#land(packet);
  }

  #socket(family: Family): IcmpSocket | EchoProblem {
    const open = this.#sockets.get(family);
    if (open !== undefined) return open;
    try {
      const socket = this.#tools.open(family, {
        packet: (buffer, length, source) => this.#receive(family, buffer, length, source),
        readable: () => this.#readable(socket),
      });
      this.#sockets.set(family, socket);
      return socket;
    } catch (error) {
      return socketProblem('open', error);
    }
  }
}

const STALLED: EchoProblem = { reason: 'stalled', detail: 'the process was held up while it waited for a reply' };
const EXHAUSTED: EchoProblem = { reason: 'descriptors', detail: 'too many packets are outstanding' };

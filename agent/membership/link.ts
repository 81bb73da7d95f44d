import type { NatsConnection } from '@nats-io/transport-node';
import {
  decodeHeartbeat,
  encodeHeartbeat,
  memberOfSubject,
  subjectOfMember,
  subjectOfMembers,
  type Heartbeat,
} from '../../proto/members.ts';
import { sleep } from '../../runtime/time.ts';
import type { BusUser } from '../bus.ts';
import type { Members } from './members.ts';

/** Silence and its end are noticed this fast. */
const TICK_MS = 250;

/** Carries heartbeats between an agent's membership and NATS. */
export class MembersLink implements BusUser {
  readonly #region: string;
  readonly #agentId: number;
  #connection: NatsConnection | null = null;
  #members: Members | null = null;

  constructor(region: string, agentId: number) {
    this.#region = region;
    this.#agentId = agentId;
  }

  /** Speaks for the agent; what cannot be sent now is not sent later. */
  publish(beat: Heartbeat): void {
    if (this.#connection === null || this.#connection.isClosed()) return;
    this.#connection.publish(subjectOfMember(this.#region, this.#agentId), encodeHeartbeat(beat));
  }

  /** Lets time pass for the membership until the signal aborts. */
  async run(members: Members, signal: AbortSignal): Promise<void> {
    this.#members = members;
    if (this.#connection !== null) members.connected();
    while (!signal.aborted) {
      members.tick();
      await sleep(TICK_MS, signal);
    }
  }

  away(): void {
    this.#connection = null;
    this.#members?.disconnected();
  }

  async follow(connection: NatsConnection): Promise<void> {
    const heartbeats = connection.subscribe(subjectOfMembers(this.#region));
    this.#connection = connection;
    this.#members?.connected();
    void this.#heedConnection(connection);
    // Ends with the connection.
    for await (const { subject, data } of heartbeats) {
      const agentId = memberOfSubject(subject);
      const beat = decodeHeartbeat(data);
      if (agentId !== null && beat !== null) this.#members?.hear(agentId, beat);
    }
    this.away();
  }

  async #heedConnection(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.#members?.disconnected();
      if (type === 'reconnect') this.#members?.connected();
    }
  }
}

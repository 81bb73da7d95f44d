import type { NatsConnection } from '@nats-io/transport-node';
import {
  decodeHeartbeat,
  encodeHeartbeat,
  memberOfSubject,
  subjectOfMember,
  subjectOfMembers,
  type Heartbeat,
} from '../../proto/members.ts';
import type { Logger } from '../../runtime/logger.ts';
import { sleep } from '../../runtime/time.ts';
import type { BusUser } from '../bus.ts';
import type { Members } from './members.ts';

/** Silence and its end are noticed this fast. */
const TICK_MS = 250;
const RETRY_MS = 5000;

/** Carries heartbeats between an agent's membership and NATS. */
export class MembersLink implements BusUser {
  readonly #region: string;
  readonly #agentId: number;
  readonly #logger: Logger;
  #connection: NatsConnection | null = null;
  #members: Members | null = null;

  constructor(region: string, agentId: number, logger: Logger) {
    this.#region = region;
    this.#agentId = agentId;
    this.#logger = logger;
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

  async follow(connection: NatsConnection, signal: AbortSignal): Promise<void> {
    void this.#heedConnection(connection);
    while (!signal.aborted && !connection.isClosed()) {
      try {
        await this.#listen(connection);
      } catch (error) {
        // Who may not listen goes on alone, and its definitions come all the same.
        this.#logger.warn({ err: error }, 'other agents cannot be heard');
      }
      this.away();
      if (!connection.isClosed()) await sleep(RETRY_MS, signal);
    }
  }

  /** Ends with the connection. */
  async #listen(connection: NatsConnection): Promise<void> {
    const heartbeats = connection.subscribe(subjectOfMembers(this.#region));
    this.#connection = connection;
    this.#members?.connected();
    for await (const { subject, data } of heartbeats) {
      const agentId = memberOfSubject(subject);
      const beat = decodeHeartbeat(data);
      if (agentId !== null && beat !== null) this.#members?.hear(agentId, beat);
    }
  }

  async #heedConnection(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.#members?.disconnected();
      if (type === 'reconnect') this.#members?.connected();
    }
  }
}

import type { ListenAddress } from '../runtime/listen-address.ts';
import { sleep } from '../runtime/time.ts';
import { createCollectorServer } from '../proto/collector-stream.ts';
import { StreamEnd } from '../proto/stream-end.ts';
import type { ServerTls } from '../proto/tls-listener.ts';
import type { CheckRunner } from './check-desk.ts';
import type { Enrolment } from './identity/enrolment.ts';
import { runSession, type Session, type SessionParts } from './session.ts';

/** How long agents may take to leave once they are asked to. */
const DRAIN_MS = 3000;
/** How long what is in flight may take after that. */
const FINISH_MS = 4000;

/** Streams of one agent, beyond which the oldest is ended: it may have been cut off and not be known to be. */
const STREAMS_OF_ONE = 3;
/** Streams of one agent that still answer what was in flight count too: more than these are refused. */
const SESSIONS_OF_ONE = 8;

export interface AgentServerParts extends SessionParts {
  enrolment: Enrolment;
  /** Told why a connection was not let in, or a stream or call did not end with OK. */
  refused: (why: string) => void;
}

/** The gRPC server and the sessions of all connected agents. */
export interface AgentServer {
  /** Returns the address it listens on, with the port it was given. */
  listen(address: ListenAddress, tls: ServerTls): Promise<ListenAddress>;
  /** The certificate to show from the next connection on. */
  renewCertificate(tls: ServerTls): void;
  /** Ends the sessions of agents that are no longer enrolled: of one agent, or of all that are not. */
  checkEnrolment(agentId: number | null): Promise<void>;
  /** Ends all sessions, so that agents connect anew and are told what has changed. */
  restartSessions(reason: string): void;
  /** The connected agents that have a probe of this kind, in the region or (null) in any; the idlest first. */
  runners(kind: string, regionId: number | null): CheckRunner[];
  /** Connected agents' streams. */
  readonly streams: number;
  streamsByRegion(): ReadonlyMap<string, number>;
  /** Batches taken and not yet acknowledged, of all of them. */
  readonly inFlight: number;
  /** Asks agents to leave, ends the streams of those that stay, answers what is in flight, and stops listening. */
  stop(): Promise<void>;
}

const TOO_MANY = 'this agent has opened too many streams';

export function createAgentServer(parts: AgentServerParts): AgentServer {
  const sessions = new Set<Session>();
  const registry = registryOf(sessions);
  const server = createCollectorServer({
    stream: (stream) => runSession(stream, parts, registry),
    renew: (request, peer) => parts.enrolment.renew(request, peer),
    enrol: (request, address) => parts.enrolment.enrol(request, address),
    onFault: (error) => parts.logger.error({ err: error }, 'stream broke'),
    onRefused: (why) => parts.refused(why.toLowerCase()),
  });
  return {
    get streams() {
      return sessions.size;
    },
    get inFlight() {
      let batches = 0;
      for (const session of sessions) batches += session.inFlight();
      return batches;
    },
    streamsByRegion() {
      const streams = new Map<string, number>();
      for (const { agent } of sessions) streams.set(agent.region, (streams.get(agent.region) ?? 0) + 1);
      return streams;
    },
    async listen(address, tls) {
      return { host: address.host, port: await server.listen(address, tls) };
    },
    renewCertificate: (tls) => server.renewCertificate(tls),
    async checkEnrolment(agentId) {
      for (const session of [...sessions]) {
        if (agentId !== null && session.agent.id !== agentId) continue;
        if (!(await parts.isEnrolled(session.agent.id)))
          session.end(new StreamEnd('UNAUTHENTICATED', 'this agent was revoked'));
      }
    },
    runners: (kind, regionId) =>
      [...sessions]
        .filter(
          ({ agent, capabilities }) => capabilities.includes(kind) && (regionId ?? agent.regionId) === agent.regionId,
        )
        .sort((a, b) => a.checks.pending - b.checks.pending)
        .map(({ agent, checks }) => ({
          agentId: agent.id,
          run: (definition, withinMs) => checks.run(definition, withinMs),
        })),
    restartSessions(reason) {
      for (const session of sessions) session.end(new StreamEnd('UNAVAILABLE', reason));
    },
    async stop() {
      for (const session of sessions) session.drain('the collector is stopping');
      await untilEmpty(sessions, DRAIN_MS);
      for (const session of sessions) session.end();
      await server.close(FINISH_MS);
    },
  };
}

/** Lets a stream in among those that are there. @throws StreamEnd where its agent has too many. */
function registryOf(sessions: Set<Session>) {
  return {
    opened(session: Session) {
      const own = [...sessions].filter(({ agent }) => agent.id === session.agent.id);
      if (own.length >= SESSIONS_OF_ONE) throw new StreamEnd('RESOURCE_EXHAUSTED', TOO_MANY);
      for (const old of own.slice(0, 1 - STREAMS_OF_ONE)) old.end(new StreamEnd('RESOURCE_EXHAUSTED', TOO_MANY));
      sessions.add(session);
    },
    closed: (session: Session) => void sessions.delete(session),
  };
}

async function untilEmpty(sessions: ReadonlySet<Session>, ms: number): Promise<void> {
  const never = new AbortController().signal;
  for (const end = performance.now() + ms; sessions.size > 0 && performance.now() < end;) await sleep(20, never);
}

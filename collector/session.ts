import type { AgentState } from '../core/agent-state.ts';
import type { EnrolledAgent } from '../db/agents.ts';
import type { CollectorStream } from '../proto/collector-stream.ts';
import { PROTOCOL, type AgentMessage, type Hello, type UnknownMessage, type Welcome } from '../proto/messages.ts';
import { StreamEnd } from '../proto/stream-end.ts';
import type { Logger } from '../runtime/logger.ts';
import { sleep } from '../runtime/time.ts';
import { capabilitiesOf, MAX_NAME, plain, stateOf, versionOf } from './agent-state.ts';
import type { AwaitedAnswers } from './awaited-answers.ts';
import { interruptible, type Interruptible } from './interruptible.ts';
import { orUnavailable } from './or-unavailable.ts';
import { handleAbsences, handleResults, type ReceiveParts } from './receive.ts';
import { createRoom } from './room.ts';
import { createSessionChecks, type SessionChecks } from './session-checks.ts';

/** Unacknowledged batches of one stream. */
export const MAX_IN_FLIGHT = 16;
/** An agent says hello within this time, or it is none. */
const HELLO_MS = 10_000;
/** How long a stream that is ended waits for the answers of what it has brought: a revocation is not to take longer. */
const LAST_ANSWERS_MS = 3000;
/** About 25 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What a session needs of the rest of the collector. */
export interface SessionParts extends Omit<ReceiveParts, 'malformed'> {
  awaited: AwaitedAnswers;
  /** Whose key this is; undefined where nobody's, or a revoked agent's. */
  authenticate: (keyHash: string) => Promise<EnrolledAgent | undefined>;
  isEnrolled: (agentId: number) => Promise<boolean>;
  connected: (agentId: number, version: string) => void;
  heard: (agentId: number, version: string, state: AgentState | null) => void;
  /** Told how many rows a batch has that an agent has sent. */
  received: (rows: number) => void;
  logger: Logger;
}

/** One agent's stream while it runs. */
export interface Session {
  agent: EnrolledAgent;
  /** What its probes can run; empty before its hello, and once its stream is over. */
  capabilities: string[];
  /** Of what it showed, unix seconds. */
  certificateExpires: number;
  checks: SessionChecks;
  /** Batches taken and not yet acknowledged. */
  inFlight: () => number;
  /** Asks the agent to leave; it goes on until it does, or until `end`. */
  drain: (reason: string) => void;
  /**
   * Reads nothing more, answers what is in flight and soon stored, and ends the stream; with a status where one is
   * given.
   */
  end: (status?: StreamEnd) => void;
}

/**
 * Serves one stream: who speaks is what its certificate says, then hello and welcome, then batches, each acknowledged
 * after commit. `opened` is called once the agent is known, `closed` when nothing that the stream has brought is under way.
 */
export async function runSession(
  stream: CollectorStream,
  parts: SessionParts,
  registry: { opened: (session: Session) => void; closed: (session: Session) => void },
): Promise<void> {
  const agent = await authenticate(stream, parts);
  const incoming = interruptible(stream.messages);
  const inFlight = createInFlight(incoming);
  const session: Session = {
    agent,
    capabilities: [],
    certificateExpires: Math.floor(stream.peer.expiresMs / 1000),
    checks: createSessionChecks(stream),
    inFlight: () => inFlight.size(),
    drain: (reason) => void stream.send({ body: 'drain', drain: { reason } }).catch(() => undefined),
    end: (status) => (status === undefined ? incoming.end() : incoming.fail(status)),
  };
  registry.opened(session);
  const leave = parts.awaited.join(agent.regionId);
  const logger = parts.logger.child({ agent: agent.id, region: agent.region, peer: stream.address });
  const expiry = endAt(stream.peer.expiresMs, session);
  const malformed = createMalformedCount(logger);
  try {
    // A revocation that was told of before this session stood among the others has not ended it.
    if (!(await orUnavailable(parts.isEnrolled(agent.id))))
      throw new StreamEnd('UNAUTHENTICATED', 'this agent was revoked');
    await serve(stream, { incoming, inFlight, session }, { ...parts, logger, malformed: malformed.add });
  } catch (error) {
    if (error instanceof StreamEnd) logger.warn({ code: error.code, reason: error.message }, 'stream ended');
    throw error;
  } finally {
    clearTimeout(expiry);
    malformed.tell();
    leave();
    session.checks.end();
    session.capabilities = [];
    // What waits for a slow database is in memory, and counts among what this agent may have there.
    void inFlight.finished().then(() => registry.closed(session));
  }
}

/** Of batches that cannot be read the first one is told of, and at the end how many there were: a flood is two lines. */
function createMalformedCount(logger: Logger): { add: (reason: string) => void; tell: () => void } {
  let count = 0;
  return {
    add(reason) {
      count += 1;
      if (count === 1) logger.warn({ reason }, 'malformed batch dropped');
    },
    tell() {
      if (count > 1) logger.warn({ batches: count }, 'malformed batches dropped');
    },
  };
}

/** A certificate is looked at when the connection is made: a stream does not outlive it. */
function endAt(expiresMs: number, session: Session): NodeJS.Timeout {
  const end = (): void => session.end(new StreamEnd('UNAVAILABLE', 'the certificate is to be shown anew'));
  return setTimeout(end, Math.min(expiresMs - Date.now(), LONGEST_TIMER_MS));
}

async function authenticate(stream: CollectorStream, parts: SessionParts): Promise<EnrolledAgent> {
  const agent = await orUnavailable(parts.authenticate(stream.peer.keyHash));
  if (agent === undefined) {
    parts.logger.warn({ peer: stream.address }, 'unknown or revoked agent');
    throw new StreamEnd('UNAUTHENTICATED', 'unknown or revoked agent');
  }
  return agent;
}

type Incoming = Interruptible<AgentMessage | UnknownMessage>;

async function serve(
  stream: CollectorStream,
  { incoming, inFlight, session }: { incoming: Incoming; inFlight: InFlight; session: Session },
  parts: SessionParts & ReceiveParts,
): Promise<void> {
  const { agent } = session;
  let version: string | undefined;
  const noHello = setTimeout(() => incoming.fail(new StreamEnd('DEADLINE_EXCEEDED', 'no hello')), HELLO_MS);
  try {
    for await (const message of incoming) {
      if (version === undefined) {
        const hello = checkHello(message, agent);
        version = versionOf(hello);
        clearTimeout(noHello);
        await stream.send({ body: 'welcome', welcome: welcomeTo(agent, parts) });
        session.capabilities = capabilitiesOf(hello);
        parts.connected(agent.id, version);
        parts.logger.info({ version }, 'agent connected');
        continue;
      }
      if (message.body === 'leave') break;
      if (message.body === 'hello') throw new StreamEnd('FAILED_PRECONDITION', 'hello came twice');
      const state = message.body === 'status' ? stateOf(message.status, session) : null;
      parts.heard(agent.id, version, state);
      if (message.body === 'checkAnswer') session.checks.answered(message.checkAnswer);
      else await incoming.during(inFlight.taking(receive(message, agent, stream, inFlight, parts)));
    }
  } finally {
    clearTimeout(noHello);
    // What was taken is answered, however the stream ends; where it is ended, nobody waits long.
    const answered = inFlight.finished();
    await (incoming.isOver() ? Promise.race([answered, sleep(LAST_ANSWERS_MS, stream.over)]) : answered);
  }
  parts.logger.info('agent left');
}

/** A hello that fits who the agent is. */
function checkHello(message: AgentMessage | UnknownMessage, agent: EnrolledAgent): Hello {
  if (message.body !== 'hello') throw new StreamEnd('FAILED_PRECONDITION', 'the first message must be hello');
  const { protocol, region } = message.hello;
  if (protocol < PROTOCOL)
    throw new StreamEnd('FAILED_PRECONDITION', `protocol ${protocol} is not spoken here, ${PROTOCOL} is`);
  if (region === agent.region) return message.hello;
  const told = `this agent belongs to region '${agent.region}', but it says '${plain(region, MAX_NAME)}'`;
  throw new StreamEnd('FAILED_PRECONDITION', told);
}

function welcomeTo(agent: EnrolledAgent, { database }: SessionParts): Welcome {
  const { epoch, timeline } = database.current();
  return {
    protocol: PROTOCOL,
    agentId: agent.id,
    regionId: agent.regionId,
    epoch,
    maxInFlight: MAX_IN_FLIGHT,
    clockUs: database.nowUs(),
    timeline,
  };
}

/** The unacknowledged batches of one stream. */
interface InFlight {
  size(): number;
  /** Waits until one more may be taken; false where the stream was ended meanwhile. */
  room(): Promise<boolean>;
  /** Remembers that a message is being taken, and returns the same. */
  taking(work: Promise<void>): Promise<void>;
  /** Keeps a batch until it is acknowledged; what breaks ends the stream. */
  keep(acknowledged: Promise<void>): void;
  /** Resolves when nothing is being taken or unacknowledged. */
  finished(): Promise<void>;
}

function createInFlight(incoming: Incoming): InFlight {
  const window = createRoom(MAX_IN_FLIGHT);
  const open = new Set<Promise<void>>();
  let last = Promise.resolve();
  return {
    size: () => open.size,
    async room() {
      await window.take(1);
      return !incoming.isOver();
    },
    taking(work) {
      // Its failure is its reader's, which may have stopped waiting.
      last = work.catch(() => undefined);
      return work;
    },
    keep(acknowledged) {
      const done = acknowledged
        .catch((error: unknown) => incoming.fail(error))
        .finally(() => {
          open.delete(done);
          window.release(1);
        });
      open.add(done);
    },
    async finished() {
      await last;
      await Promise.all(open);
    },
  };
}

/** Takes one message. Until it returns nothing more is read from the stream: that is how a full collector says so. */
async function receive(
  message: AgentMessage | UnknownMessage,
  agent: EnrolledAgent,
  stream: CollectorStream,
  inFlight: InFlight,
  parts: SessionParts & ReceiveParts,
): Promise<void> {
  if (message.body === 'results') {
    parts.received(message.results.monitorId.length);
    if (await inFlight.room()) inFlight.keep((await handleResults(message.results, agent, stream, parts)).acknowledged);
  } else if (message.body === 'absences') {
    if (await inFlight.room()) inFlight.keep(handleAbsences(message.absences, agent, stream, parts));
  }
}

/**
 * The messages of `farwatch/v1/collector.proto` as tables, from which their types follow; a contract test compares the
 * tables with the file, so that a field can neither be missing nor mistyped on one side only. Names are camelCase,
 * 64-bit integers are numbers (below 2^53), enums are numbers (unknown values stay), absent fields have their zero
 * value.
 */
export type FieldShape = 'number' | 'text' | 'numbers' | 'texts' | MessageShape | readonly [MessageShape];
export interface MessageShape {
  readonly [field: string]: FieldShape;
}

type ValueOf<F> = F extends 'number'
  ? number
  : F extends 'text'
    ? string
    : F extends 'numbers'
      ? number[]
      : F extends 'texts'
        ? string[]
        : F extends readonly [infer M]
          ? MessageOf<M>[]
          : MessageOf<F>;
/** The type of a message with this table. */
type MessageOf<S> = { -readonly [K in keyof S]: ValueOf<S[K]> };
/** The type of a message that is one `oneof body`: the member that is set, named by `body`. */
type OneOf<S> = { [K in keyof S]: { body: K } & { [P in K]: ValueOf<S[K]> } }[keyof S];

export const HELLO = {
  protocol: 'number',
  region: 'text',
  version: 'text',
  capabilities: 'texts',
  epoch: 'text',
  bootId: 'text',
} as const satisfies MessageShape;

export const WELCOME = {
  protocol: 'number',
  agentId: 'number',
  regionId: 'number',
  epoch: 'text',
  maxInFlight: 'number',
  clockUs: 'number',
  timeline: 'text',
} as const satisfies MessageShape;

export const RESULT_BATCH = {
  batch: 'number',
  epoch: 'text',
  monitorId: 'numbers',
  minute: 'numbers',
  revision: 'numbers',
  status: 'numbers',
  cause: 'numbers',
  origin: 'numbers',
  latencyUs: 'numbers',
  text: 'numbers',
  texts: 'texts',
  packetsSent: 'numbers',
  packetsReceived: 'numbers',
  minUs: 'numbers',
  avgUs: 'numbers',
  maxUs: 'numbers',
  deviationUs: 'numbers',
} as const satisfies MessageShape;

const ABSENCE = { fromMinute: 'number', toMinute: 'number', reason: 'text' } as const satisfies MessageShape;
export const ABSENCES = { batch: 'number', epoch: 'text', absences: [ABSENCE] } as const satisfies MessageShape;

export const ACK = {
  batch: 'number',
  clockUs: 'number',
  row: 'numbers',
  answer: 'numbers',
  reason: 'numbers',
  reasons: 'texts',
  rest: 'number',
  restReason: 'number',
} as const satisfies MessageShape;

const COUNTER = { name: 'text', value: 'number' } as const satisfies MessageShape;
export const AGENT_STATUS = {
  definitions: 'number',
  epoch: 'text',
  generation: 'number',
  spoolRecords: 'number',
  spoolBytes: 'number',
  oldestMinute: 'number',
  problems: 'texts',
  counters: [COUNTER],
  assigned: 'number',
  clockKnown: 'number',
  clockOffsetUs: 'number',
  unknownLastHour: [COUNTER],
} as const satisfies MessageShape;

export const CHECK_REQUEST = {
  requestId: 'text',
  definition: 'text',
  deadlineMs: 'number',
} as const satisfies MessageShape;
export const CHECK_ANSWER = { requestId: 'text', outcome: 'text', error: 'text' } as const satisfies MessageShape;
export const DRAIN = { reason: 'text' } as const satisfies MessageShape;
export const LEAVE = {} as const satisfies MessageShape;

export const AGENT_BODY = {
  hello: HELLO,
  results: RESULT_BATCH,
  absences: ABSENCES,
  status: AGENT_STATUS,
  checkAnswer: CHECK_ANSWER,
  leave: LEAVE,
} as const satisfies MessageShape;

export const COLLECTOR_BODY = {
  welcome: WELCOME,
  ack: ACK,
  drain: DRAIN,
  checkRequest: CHECK_REQUEST,
} as const satisfies MessageShape;

export const ENROL_REQUEST = {
  secret: 'text',
  certificateRequest: 'text',
  natsUser: 'text',
} as const satisfies MessageShape;
export const RENEW_REQUEST = { certificateRequest: 'text' } as const satisfies MessageShape;
export const CREDENTIALS = {
  agentId: 'number',
  name: 'text',
  region: 'text',
  certificate: 'text',
  natsUrl: 'text',
  natsJwt: 'text',
  definitionsKey: 'text',
} as const satisfies MessageShape;

export type EnrolRequest = MessageOf<typeof ENROL_REQUEST>;
export type RenewRequest = MessageOf<typeof RENEW_REQUEST>;
export type Credentials = MessageOf<typeof CREDENTIALS>;
export type Hello = MessageOf<typeof HELLO>;
export type Welcome = MessageOf<typeof WELCOME>;
export type ResultBatch = MessageOf<typeof RESULT_BATCH>;
export type Absence = MessageOf<typeof ABSENCE>;
export type Absences = MessageOf<typeof ABSENCES>;
export type Ack = MessageOf<typeof ACK>;
export type AgentStatus = MessageOf<typeof AGENT_STATUS>;
export type CheckRequest = MessageOf<typeof CHECK_REQUEST>;
export type CheckAnswer = MessageOf<typeof CHECK_ANSWER>;

/** What an agent sends. */
export type AgentMessage = OneOf<typeof AGENT_BODY>;
/** What a collector sends. */
export type CollectorMessage = OneOf<typeof COLLECTOR_BODY>;
/** A message whose body this side does not know yet: to be passed over. */
export interface UnknownMessage {
  body?: undefined;
}

/** The version of the protocol in hello and welcome. */
export const PROTOCOL = 1;
/** Messages of more bytes end their stream. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

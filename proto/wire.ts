import { fileURLToPath } from 'node:url';
import type { MethodDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type {
  AgentMessage,
  CollectorMessage,
  Credentials,
  EnrolRequest,
  RenewRequest,
  UnknownMessage,
} from './messages.ts';

const PROTO_FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PROTO_FILE = 'farwatch/v1/collector.proto';

/** What agents are served, as grpc-js takes it, typed by `messages.ts`. */
export interface CollectorService {
  Stream: MethodDefinition<AgentMessage | UnknownMessage, CollectorMessage | UnknownMessage>;
  Renew: MethodDefinition<RenewRequest, Credentials>;
}

/** What strangers are served. */
export interface EnrolmentService {
  Enrol: MethodDefinition<EnrolRequest, Credentials>;
}

interface Services {
  collector: CollectorService;
  enrolment: EnrolmentService;
}

let loaded: Services | undefined;

/** The collector's service for agents, read once from the `.proto` beside this module. */
export function collectorService(): CollectorService {
  return (loaded ??= loadServices()).collector;
}

/** The collector's service for those who are to become agents. */
export function enrolmentService(): EnrolmentService {
  return (loaded ??= loadServices()).enrolment;
}

function loadServices(): Services {
  const definition = loadSync(PROTO_FILE, {
    includeDirs: [PROTO_FOLDER],
    longs: Number,
    defaults: true,
    oneofs: true,
  });
  // proto-loader types every service as `any` messages; that they fit messages.ts is held by the contract test.
  const collector = definition['farwatch.v1.Collector'] as unknown as CollectorService;
  const enrolment = definition['farwatch.v1.Enrolment'] as unknown as EnrolmentService;
  return { collector, enrolment };
}

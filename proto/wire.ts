import { fileURLToPath } from 'node:url';
import type { MethodDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { AgentMessage, CollectorMessage, UnknownMessage } from './messages.ts';

const PROTO_FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PROTO_FILE = 'farwatch/v1/collector.proto';
const SERVICE = 'farwatch.v1.Collector';

type StreamMethod = MethodDefinition<AgentMessage | UnknownMessage, CollectorMessage | UnknownMessage>;
/** The service as grpc-js takes it, typed by `messages.ts`. */
export interface CollectorService {
  [method: string]: StreamMethod;
  Stream: StreamMethod;
}

let loaded: CollectorService | undefined;

/** The collector's service definition, read once from the `.proto` beside this module. */
export function collectorService(): CollectorService {
  loaded ??= loadService();
  return loaded;
}

function loadService(): CollectorService {
  const definition = loadSync(PROTO_FILE, {
    includeDirs: [PROTO_FOLDER],
    longs: Number,
    defaults: true,
    oneofs: true,
  });
  // proto-loader types every service as `any` messages; that they fit messages.ts is held by the contract test.
  return definition[SERVICE] as unknown as CollectorService;
}

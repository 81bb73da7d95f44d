import { createSecureContext } from 'node:tls';
import { Client, credentials, type ChannelOptions } from '@grpc/grpc-js';
import { MAX_MESSAGE_BYTES } from './messages.ts';
import { COLLECTOR_NAME } from './server-names.ts';
import { KEEPALIVE } from './stream-end.ts';

/** What an agent shows a collector, and by whom it wants collectors to be vouched for; all PEM. */
export interface AgentTls {
  authority: string;
  /** The agent's certificate and key; null: none yet. */
  own: { certificate: string; key: string } | null;
}

/** A gRPC client with a connection of its own, by TLS 1.3, to a collector of that authority and to nobody else. */
export function openClient(address: string, { authority, own }: AgentTls, options: ChannelOptions = {}): Client {
  const context = createSecureContext({
    ca: authority,
    ...(own !== null && { cert: own.certificate, key: own.key }),
    minVersion: 'TLSv1.3',
  });
  return new Client(address, credentials.createFromSecureContext(context), {
    ...KEEPALIVE,
    'grpc.ssl_target_name_override': COLLECTOR_NAME,
    'grpc.default_authority': COLLECTOR_NAME,
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.use_local_subchannel_pool': 1,
    // Retries would hold sent messages in memory; the spool is what sends again.
    'grpc.enable_retries': 0,
    // The owner named an address: no detour through TXT records or a proxy found in the environment.
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
    ...options,
  });
}

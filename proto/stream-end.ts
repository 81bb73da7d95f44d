import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { status as GRPC_STATUS } from '@grpc/grpc-js';

/** A gRPC status other than OK, by name. */
export type StreamEndCode = Exclude<keyof typeof GRPC_STATUS, 'OK'>;

/** The stream ended otherwise than by both sides' agreement: its status, and the text that came with it. */
export class StreamEnd extends Error {
  readonly code: StreamEndCode;

  constructor(code: StreamEndCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'StreamEnd';
    this.code = code;
  }
}

/** What grpc-js raised, as a StreamEnd; anything else is UNKNOWN with its text. */
export function streamEndOf(error: unknown): StreamEnd {
  if (error instanceof StreamEnd) return error;
  const fields = typeof error === 'object' && error !== null ? error : {};
  const code = 'code' in fields && typeof fields.code === 'number' ? GRPC_STATUS[fields.code] : undefined;
  const details = 'details' in fields && typeof fields.details === 'string' ? fields.details : String(error);
  // GRPC_STATUS is a numeric enum: its reverse look-up gives a name of the list or undefined.
  return new StreamEnd((code ?? 'UNKNOWN') as StreamEndCode, details, { cause: error });
}

/**
 * Writes one message and waits while the other side takes none: resolves when the next may be sent, rejects with
 * CANCELLED when `over` aborts.
 */
export async function sendWithBackPressure(stream: Writable, message: object, over: AbortSignal): Promise<void> {
  if (over.aborted || stream.writableEnded) throw new StreamEnd('CANCELLED', 'the stream is over');
  if (!stream.write(message)) await drained(stream, over);
}

/** All who wait for one stream wait together: a listener for each of them would be one for each message. */
const waiting = new WeakMap<Writable, Promise<void>>();

function drained(stream: Writable, over: AbortSignal): Promise<void> {
  const known = waiting.get(stream);
  if (known !== undefined) return known;
  const drain = once(stream, 'drain', { signal: over }).then(
    () => void waiting.delete(stream),
    (error: unknown) => {
      throw new StreamEnd('CANCELLED', 'the stream is over', { cause: error });
    },
  );
  waiting.set(stream, drain);
  return drain;
}

/** Both sides: a peer that answers no ping for this long is gone, and the stream ends. */
export const KEEPALIVE = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 10_000,
} as const;

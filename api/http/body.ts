import type { IncomingMessage } from 'node:http';
import { AppError } from '../../core/app-error.ts';

/** Reference §12, "Limits". */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Reads a request's body as a JSON object. The content type is not looked at (reference §1.0).
 * @throws AppError PAYLOAD_TOO_LARGE above 1 MiB; BAD_REQUEST for anything that is not a JSON object in UTF-8.
 */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const value = parseJson(await readBytes(request));
  if (isObject(value)) return value;
  throw invalidJson();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw invalidJson(cause);
  }
}

function invalidJson(cause?: unknown): AppError {
  return new AppError('BAD_REQUEST', 'Invalid JSON body', { cause });
}

/** By events, not by iteration: ending an iteration early would destroy the socket before the answer is out. */
function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const tooLarge = (): void => {
      request.off('data', take).resume();
      reject(new AppError('PAYLOAD_TOO_LARGE', `The body must be at most ${MAX_BODY_BYTES} bytes`));
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) tooLarge();
      else chunks.push(chunk);
    };
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return tooLarge();
    request
      .on('data', take)
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('error', (cause) => reject(cutOff(cause)))
      .once('close', () => reject(cutOff()));
  });
}

/** Nobody is left to read it, but the log shall not blame the service. */
function cutOff(cause?: unknown): AppError {
  return new AppError('BAD_REQUEST', 'The request was cut off', { cause });
}

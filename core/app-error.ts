/**
 * The closed list of expected failures and how HTTP answers each (reference §12, "Errors and strictness").
 */
const HTTP_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} as const;

export type AppErrorCode = keyof typeof HTTP_STATUS;

/** One failing field of a request: where, and what to do about it. */
export interface FieldProblem {
  path: string;
  message: string;
}

/** A fault for the client's eyes: faults inside a field name their place in the message too. */
export function problemOf(path: readonly PropertyKey[], message: string): FieldProblem {
  const place = path.map(String).join('.');
  if (path.length > 0 && message.startsWith('must ')) return { path: place, message: `${place} ${message}` };
  return { path: place, message: path.length > 1 ? `${place}: ${message}` : message };
}

export interface AppErrorOptions extends ErrorOptions {
  details?: readonly FieldProblem[];
  retryAfterS?: number;
}

/** An expected failure: a code from the closed list, a message made for the client, and the cause for the log. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly details: readonly FieldProblem[];
  /** Seconds after which the same may succeed, where that is known. */
  readonly retryAfterS: number | undefined;

  constructor(code: AppErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? [];
    this.retryAfterS = options.retryAfterS;
  }

  /** The HTTP status that answers this error. */
  get httpStatus(): number {
    return HTTP_STATUS[this.code];
  }
}

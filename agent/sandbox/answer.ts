/** What a user's evaluation function came to. */
export type SandboxAnswer =
  /** It returned a value (as JSON knows it: a number that is none is null). */
  | { kind: 'value'; value: unknown }
  /** It returned null or undefined, or a promise that can never settle. */
  | { kind: 'none' }
  /** It is no function, or it threw; the message of what it threw. */
  | { kind: 'threw'; message: string }
  /** It used more time, memory or stack than it may: the user's fault. */
  | { kind: 'limit'; message: string }
  /** The sandbox itself failed, or the check was ended: says nothing about the function. */
  | { kind: 'failed'; message: string };

export interface Sandbox {
  /**
   * Runs `source`, a JavaScript function expression, with the one argument `results` (as JSON) and awaits its result.
   * Never rejects. An abort answers `failed`.
   */
  evaluate(source: string, results: unknown, signal: AbortSignal): Promise<SandboxAnswer>;
  /** Ends the worker; what is unanswered is answered `failed`. */
  close(): Promise<void>;
}

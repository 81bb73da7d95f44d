import type { SandboxAnswer } from './answer.ts';
import { createEngine } from './quickjs-engine.ts';

/** One evaluation, as the sandbox gives it to its worker. */
export interface EvalJob {
  source: string;
  /** The argument of the function, as JSON. */
  results: string;
}

const engine = createEngine();

/** What the worker of the sandbox runs. */
export function evaluate({ source, results }: EvalJob): Promise<SandboxAnswer> {
  return engine.evaluate(source, results);
}

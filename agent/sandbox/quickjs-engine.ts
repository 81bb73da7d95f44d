import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { MAX_ERROR_LENGTH } from '../../core/outcome.ts';
import { ownThread, startCpuLimit } from '../../runtime/cpu-time.ts';

/** What one evaluation may use (feasibility §7). */
const TIME_LIMIT_MS = 50;
const MEMORY_LIMIT_BYTES = 8 * 1024 * 1024;
const STACK_LIMIT_BYTES = 256 * 1024;
const MAX_OUTPUT_LENGTH = 16 * 1024;

/** What leaves the engine: a `value` still as JSON. */
export type EngineAnswer =
  | { kind: 'value'; json: string }
  | { kind: 'none' }
  | { kind: 'threw'; message: string }
  | { kind: 'limit'; message: string }
  | { kind: 'failed'; message: string };

/**
 * Calls the user's function and awaits it, inside the engine and under its limits: reading a message or turning a
 * value into JSON runs code of the user's too (getters, toJSON, thenables). What it needs is taken before the user's
 * source can change it. The answer is `[kind, text]`.
 */
const HARNESS = `((stringify, parse, toText) => async (evaluate, results) => {
  try {
    if (typeof evaluate !== 'function') return ['threw', 'it is not a function'];
    const value = await evaluate(parse(results));
    const json = value === null || value === undefined ? undefined : stringify(value);
    return json === undefined ? ['none', ''] : ['value', json];
  } catch (error) {
    const isError = typeof error === 'object' && error !== null && 'message' in error;
    return [isError && error.name === 'InternalError' ? 'internal' : 'threw', toText(isError ? error.message : error)];
  }
})(JSON.stringify, JSON.parse, String)`;

export interface Engine {
  /** Runs one function in a fresh context. Answers in any case, except where a single native call never ends. */
  evaluate(source: string, results: string): Promise<EngineAnswer>;
}

/** A QuickJS engine (WebAssembly, no host objects). A module that has met a limit is thrown away, not cleaned up. */
export function createEngine(): Engine {
  let module: Promise<QuickJSWASMModule> | undefined;
  const thread = ownThread();
  return {
    async evaluate(source, results) {
      module ??= newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'));
      try {
        const { answer, isClean } = runOnce(await module, source, results, thread);
        if (!isClean) module = undefined;
        return answer;
      } catch (error) {
        module = undefined;
        return engineFailure(error);
      }
    },
  };
}

/** An engine that ran out of the host's stack did so for the user's code; any other end is the sandbox's own. */
function engineFailure(error: unknown): EngineAnswer {
  if (error instanceof RangeError) return { kind: 'limit', message: 'used too much stack' };
  return { kind: 'failed', message: `the engine failed: ${String(error)}`.slice(0, MAX_ERROR_LENGTH) };
}

interface Run {
  answer: EngineAnswer;
  /** False where the engine met a limit: its memory is then in no known state. */
  isClean: boolean;
}

function runOnce(module: QuickJSWASMModule, source: string, results: string, thread: string | null): Run {
  const runtime = module.newRuntime();
  runtime.setMemoryLimit(MEMORY_LIMIT_BYTES);
  runtime.setMaxStackSize(STACK_LIMIT_BYTES);
  const isOver = startCpuLimit(TIME_LIMIT_MS, thread);
  let interrupted = false;
  runtime.setInterruptHandler(() => (interrupted ||= isOver()));
  const context = runtime.newContext();
  const found = callUser(context, runtime, source, results);
  // A native call that no look fell into is judged by its cost all the same.
  const answer: EngineAnswer = interrupted || isOver() ? { kind: 'limit', message: 'took too long' } : found;
  return { answer, isClean: answer.kind !== 'limit' && disposed(context, runtime) };
}

/** Disposing aborts the whole module when an attack has left a handle behind (feasibility §7). */
function disposed(context: QuickJSContext, runtime: QuickJSRuntime): boolean {
  try {
    context.dispose();
    runtime.dispose();
    return true;
  } catch {
    return false;
  }
}

function callUser(context: QuickJSContext, runtime: QuickJSRuntime, source: string, results: string): EngineAnswer {
  const harness = context.unwrapResult(context.evalCode(HARNESS));
  const evaluated = context.evalCode(`(${source.replace(/[;\s]+$/, '')}\n)`);
  if (evaluated.error) return errorAnswer(context, evaluated.error, harness);
  const argument = context.newString(results);
  const called = context.callFunction(harness, context.undefined, evaluated.value, argument);
  for (const handle of [harness, evaluated.value, argument]) handle.dispose();
  if (called.error) return errorAnswer(context, called.error);
  const jobs = runtime.executePendingJobs();
  if (jobs.error) return errorAnswer(context, jobs.error, called.value);
  const state = context.getPromiseState(called.value);
  called.value.dispose();
  switch (state.type) {
    case 'pending':
      return { kind: 'none' };
    case 'rejected':
      return errorAnswer(context, state.error);
    case 'fulfilled':
      return harnessAnswer(context, state.value);
  }
}

function harnessAnswer(context: QuickJSContext, pair: QuickJSHandle): EngineAnswer {
  const [kind, text] = [0, 1].map((index) => context.getProp(pair, index).consume((part) => context.getString(part)));
  pair.dispose();
  if (kind === 'none') return { kind };
  if (kind !== 'value') return thrown(text ?? '', kind === 'internal');
  if ((text ?? '').length > MAX_OUTPUT_LENGTH) return { kind: 'limit', message: 'returned too much' };
  return { kind, json: text ?? '' };
}

/** What was thrown outside the harness: a syntax error, or an engine too short of memory to say more. */
function errorAnswer(context: QuickJSContext, error: QuickJSHandle, ...others: QuickJSHandle[]): EngineAnswer {
  const dumped: unknown = context.dump(error);
  for (const handle of [error, ...others]) handle.dispose();
  const isObject = typeof dumped === 'object' && dumped !== null;
  const { name, message } = isObject
    ? (dumped as { name?: unknown; message?: unknown })
    : { name: '', message: dumped };
  return thrown(String(message), name === 'InternalError');
}

function thrown(text: string, isInternal: boolean): EngineAnswer {
  if (isInternal && text.includes('out of memory')) return { kind: 'limit', message: 'used too much memory' };
  if (isInternal && text.includes('stack overflow')) return { kind: 'limit', message: 'used too much stack' };
  return { kind: 'threw', message: text.slice(0, MAX_ERROR_LENGTH) };
}

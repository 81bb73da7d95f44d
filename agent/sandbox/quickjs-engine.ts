import {
  newQuickJSWASMModuleFromVariant,
  Scope,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { MAX_ERROR_LENGTH } from '../../core/outcome.ts';
import { ownThread, startCpuLimit } from '../../runtime/cpu-time.ts';
import type { SandboxAnswer } from './answer.ts';

/** What one evaluation may use (feasibility §7). */
const TIME_LIMIT_MS = 50;
const MEMORY_LIMIT_BYTES = 8 * 1024 * 1024;
const STACK_LIMIT_BYTES = 256 * 1024;
const MAX_OUTPUT_LENGTH = 16 * 1024;

/**
 * `call` calls the user's function and awaits it, `fault` tells what was thrown; both inside the engine and under its
 * limits: reading a message or turning a value into JSON runs code of the user's too (getters, toJSON, thenables). What
 * they need is taken before the user's source can change it. They answer with `<kind> <text>`, never with an object: of
 * an object the user's code would be asked for its `then` first, and could put another in its place.
 */
const HARNESS = `((stringify, parse, toText) => {
  const fault = (error) => {
    try {
      const isError = typeof error === 'object' && error !== null && 'message' in error;
      return (isError && error.name === 'InternalError' ? 'internal ' : 'threw ') + toText(isError ? error.message : error);
    } catch (inner) {
      const isPlain = typeof inner !== 'object' && typeof inner !== 'function';
      return 'threw ' + (isPlain ? toText(inner) : 'what cannot be shown');
    }
  };
  const call = async (evaluate, results) => {
    try {
      if (typeof evaluate !== 'function') return 'threw it is not a function';
      const value = await evaluate(parse(results));
      const json = value === null || value === undefined ? undefined : stringify(value);
      return json === undefined ? 'none ' : 'value ' + json;
    } catch (error) {
      return fault(error);
    }
  };
  return { call, fault };
})(JSON.stringify, JSON.parse, String)`;

export interface Engine {
  /** Runs one function in a fresh context. Answers in any case, except where a single native call never ends. */
  evaluate(source: string, results: string): Promise<SandboxAnswer>;
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
function engineFailure(error: unknown): SandboxAnswer {
  if (error instanceof RangeError) return { kind: 'limit', message: 'used too much stack' };
  return { kind: 'failed', message: `the engine failed: ${String(error)}`.slice(0, MAX_ERROR_LENGTH) };
}

interface Run {
  answer: SandboxAnswer;
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
  const answer: SandboxAnswer = interrupted || isOver() ? { kind: 'limit', message: 'took too long' } : found;
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

function callUser(context: QuickJSContext, runtime: QuickJSRuntime, source: string, results: string): SandboxAnswer {
  return Scope.withScope((scope) => {
    const harness = scope.manage(context.unwrapResult(context.evalCode(HARNESS)));
    const call = scope.manage(context.getProp(harness, 'call'));
    const fault = scope.manage(context.getProp(harness, 'fault'));
    const blame = (error: QuickJSHandle): SandboxAnswer => faultAnswer(context, fault, scope.manage(error));
    const evaluated = context.evalCode(`(${withoutEnd(source)}\n)`);
    if (evaluated.error) return blame(evaluated.error);
    const argument = scope.manage(context.newString(results));
    const called = context.callFunction(call, context.undefined, scope.manage(evaluated.value), argument);
    if (called.error) return blame(called.error);
    const promise = scope.manage(called.value);
    const jobs = runtime.executePendingJobs();
    if (jobs.error) return blame(jobs.error);
    const state = context.getPromiseState(promise);
    switch (state.type) {
      case 'pending':
        return { kind: 'none' };
      case 'rejected':
        return blame(state.error);
      case 'fulfilled':
        return answerOf(context.getString(scope.manage(state.value)));
    }
  });
}

/** A source may end like a statement. */
function withoutEnd(source: string): string {
  let end = source.length;
  while (end > 0 && /[;\s]/.test(source.charAt(end - 1))) end -= 1;
  return source.slice(0, end);
}

/** What was thrown outside `call`: a syntax error, or an engine too short of memory to say more. */
function faultAnswer(context: QuickJSContext, fault: QuickJSHandle, error: QuickJSHandle): SandboxAnswer {
  const told = context.callFunction(fault, context.undefined, error);
  if (!told.error) return answerOf(told.value.consume((text) => context.getString(text)));
  told.error.dispose();
  return { kind: 'limit', message: 'used too much memory' };
}

/** What the harness told, as the host knows it. */
function answerOf(told: string): SandboxAnswer {
  const space = told.indexOf(' ');
  const [kind, text] = [told.slice(0, space), told.slice(space + 1)];
  if (kind === 'none') return { kind };
  if (kind !== 'value') return thrown(text, kind === 'internal');
  if (text.length > MAX_OUTPUT_LENGTH) return { kind: 'limit', message: 'returned too much' };
  return { kind, value: JSON.parse(text) as unknown };
}

function thrown(text: string, isInternal: boolean): SandboxAnswer {
  if (isInternal && text.includes('out of memory')) return { kind: 'limit', message: 'used too much memory' };
  if (isInternal && text.includes('stack overflow')) return { kind: 'limit', message: 'used too much stack' };
  return { kind: 'threw', message: text.slice(0, MAX_ERROR_LENGTH) };
}

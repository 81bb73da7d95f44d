import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxAnswer } from '../../../../agent/sandbox/answer.ts';
import { createSandbox } from '../../../../agent/sandbox/sandbox.ts';
import { judgeEval } from '../../../../agent/evaluate.ts';
import { monotonicMs } from '../../../../runtime/time.ts';

const never = new AbortController().signal;
const RESULTS = [{ status: 'open', latency: 3.5, host: '192.0.2.1', port: 80, type: 'IP4', code: 'open' }];

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox({ monotonicMs });
});
afterAll(() => sandbox.close());

const run = (source: string): Promise<SandboxAnswer> => sandbox.evaluate(source, RESULTS, never);

/** What of the host a global object shows; and those of what an attack got hold of, which must be something. */
const LOOK = `const look = (g) => ['process', 'require', 'module', 'Buffer', 'WebAssembly', 'performance', 'fetch', 'queueMicrotask']
  .filter((name) => { try { return typeof g?.[name] !== 'undefined' } catch { return false } }).join() || 'nothing';
  const lookAt = (seen) => look(seen.length === 0 && { process: 'not reached' }) + seen.map((one) =>
    look(one?.constructor?.constructor?.('return globalThis')?.())).join('');`;

// Rows that stem from an advisory of vm2 name it.
describe('a function finds nothing of the host', () => {
  it.each<[string, string]>([
    ['by the constructor of the constructor', 'return look(this?.constructor?.constructor?.("return globalThis")())'],
    ['by the constructor of a function', 'return look((function () {}).constructor("return this")())'],
    [
      'by the constructor of an async function',
      'return look(await (async () => {}).constructor("return globalThis")())',
    ],
    [
      'by the constructor of a generator',
      'return look((function* () {}).constructor("return globalThis")().next().value)',
    ],
    [
      'by the prototypes of its argument',
      'return look(r.constructor.constructor("return globalThis")()) + look(r[0].__proto__.constructor.constructor("return this")())',
    ],
    ['by eval from outside', 'return look((0, eval)("this")) + look(new Function("return globalThis")())'],
    [
      'by an error of the engine (CVE-2019-10761)',
      'try { (function f() { f() + 1 })() } catch (e) { return look(e.constructor.constructor("return globalThis")()) }',
    ],
    [
      'by an error of a native',
      'try { null.x } catch (e) { return look(e.__proto__.constructor.constructor("return globalThis")()) }',
    ],
    [
      'by prepareStackTrace (CVE-2023-29017)',
      'const seen = []; Error.prepareStackTrace = (e, frames) => { seen.push(e, frames); return frames }; const e = new Error("x"); for (const frame of [e.stack].flat()) seen.push(frame, frame?.getThis?.(), frame?.getFunction?.()); return lookAt(seen)',
    ],
    [
      'by captureStackTrace',
      'const seen = []; const o = {}; try { Error.captureStackTrace(o, look); seen.push(o.stack) } catch (e) { seen.push(e) } return lookAt(seen)',
    ],
    [
      'by who called it',
      'const seen = []; function f() { seen.push(arguments); for (const ask of [() => f.caller, () => f.arguments, () => arguments.callee.caller]) try { seen.push(ask()) } catch (e) { seen.push(e) } } f(); [1].map(f); await Promise.resolve(1).then(f); return lookAt(seen)',
    ],
    [
      'by the arguments of a trap',
      'let seen; const p = new Proxy({}, { get(t, k, receiver) { seen = receiver; return undefined }, ownKeys(...all) { seen = all; return [] } }); JSON.stringify(p); return look(seen?.constructor?.constructor?.("return globalThis")?.())',
    ],
    [
      'by what a thenable is given',
      'return new Promise((done) => ({ then(...given) { done(given.map((one) => look(one.constructor("return globalThis")())).join("") || "nothing") } }).then((x) => x))',
    ],
    [
      'by a species of promises (CVE-2023-37466)',
      'class P extends Promise { static get [Symbol.species]() { return function (executor) { executor((v) => v, (e) => e); } } } try { const p = P.resolve(1).then(() => 1); return look(p?.constructor?.constructor?.("return globalThis")()) } catch { return "nothing" }',
    ],
    [
      'by a species of arrays',
      'class A extends Array { static get [Symbol.species]() { return function () { return globalThis } } } try { return look(new A(1, 2).map((x) => x)) } catch { return "nothing" }',
    ],
    [
      'by a tagged template',
      'return look((function (parts) { return parts.constructor.constructor("return globalThis")() })`x`)',
    ],
    [
      'by a finalizer',
      'return look(typeof FinalizationRegistry === "undefined" ? undefined : FinalizationRegistry.constructor("return globalThis")())',
    ],
    [
      'by what is put into maps',
      'const seen = []; for (const { prototype } of [Map, Set, WeakMap, WeakSet]) for (const name of ["set", "add"]) { const own = prototype[name]; if (own) prototype[name] = function (...given) { seen.push(this, ...given); return own.apply(this, given) } } new Map([[{}, 1]]); new WeakMap([[{}, 1]]); try { null.x } catch (e) { new WeakSet([e]) } return lookAt(seen)',
    ],
    [
      'by an inspection of its own (CVE-2023-37903)',
      'const seen = []; const o = { [Symbol.for("nodejs.util.inspect.custom")]: (...given) => void seen.push(...given), valueOf: undefined, constructor: undefined }; for (const show of [() => WebAssembly.compileStreaming(o), () => console.log(o), () => `${o}`, () => null[o]]) try { await show() } catch (e) { seen.push(e) } return lookAt(seen)',
    ],
    [
      'by a setter of the first place of all arrays',
      'let seen; Object.defineProperty(Array.prototype, 0, { configurable: true, set(value) { seen = { self: this, value } }, get() {} }); try { [..."ab"].map((x) => x); "a-b".split("-"); JSON.parse("[1]"); await Promise.all([1]); const list = []; list[0] = 1; } finally { delete Array.prototype[0] } return lookAt([seen.self, seen.value])',
    ],
    [
      'by what is asked for its class',
      'const seen = []; for (const name of ["Error", "Promise", "Object", "Function"]) Object.defineProperty(globalThis[name], Symbol.hasInstance, { value(one) { seen.push(one); return true } }); try { null.x } catch (e) { e instanceof Error } await new Promise((done) => done(look instanceof Function)); return lookAt(seen)',
    ],
    [
      'by an error whose name is a symbol while its stack is read',
      'const seen = []; Error.prepareStackTrace = (e, frames) => { seen.push(e, frames); return String(e) }; const e = new Error("x"); e.name = Symbol("x"); for (const read of [() => e.stack, () => String(e), () => { throw e }]) try { read() } catch (thrown) { seen.push(thrown) } return lookAt(seen)',
    ],
    [
      'by an error whose name is told by a proxy (CVE-2023-32314)',
      'const seen = []; const e = new Error("x"); e.name = { toString: new Proxy(() => "", { apply: (...given) => { seen.push(...given); return "" } }) }; for (const read of [() => e.stack, () => String(e), () => { throw e }]) try { read() } catch (thrown) { seen.push(thrown) } return lookAt(seen)',
    ],
    [
      'by its own then, catch and finally (CVE-2026-22709)',
      'const seen = []; for (const name of ["then", "catch", "finally"]) { const own = Promise.prototype[name]; Promise.prototype[name] = function (...given) { seen.push(this, ...given); return own.apply(this, given) } } await (async () => null.x)().catch((e) => seen.push(e)).finally(() => 1); await Promise.all([(async () => 1)()]); return lookAt(seen)',
    ],
    [
      'by a thenable that an async generator returns (CVE-2026-45411)',
      'const seen = []; async function* outer() { try { yield* (async function* () { yield 1 })() } catch (e) { seen.push(e) } } for (const then of [(...given) => { seen.push(...given); given[0](1) }, (...given) => { seen.push(...given); null.x }]) { const run = outer(); await run.next(); try { await run.return({ then }) } catch (e) { seen.push(e) } } return lookAt(seen)',
    ],
    [
      'by a proxy that fills the stack when its prototype is asked for (CVE-2023-30547)',
      'const seen = []; const p = new Proxy({}, { getPrototypeOf() { (function fill() { fill() + 1 })() } }); try { throw p } catch (e) { for (const ask of [() => e instanceof Error, () => Object.getPrototypeOf(e), () => e.constructor]) try { seen.push(ask()) } catch (thrown) { seen.push(thrown) } } return lookAt(seen)',
    ],
    ['by a realm of its own', 'return look(typeof ShadowRealm === "undefined" ? undefined : new ShadowRealm())'],
    [
      'by with and unscopables',
      'const f = new Function("o", "with (o) { return typeof process }"); return f(new Proxy({}, { has: (_, k) => false })) === "undefined" ? "nothing" : "process"',
    ],
    [
      'by names of the engine itself',
      'return ["std", "os", "bjson", "scriptArgs", "print", "console", "__loadScript", "navigator", "Deno", "gc"].filter((name) => name in globalThis).join() || "nothing"',
    ],
  ])('%s', async (_, body) => {
    expect(await run(`async function (r) { ${LOOK}; ${body} }`)).toEqual({
      kind: 'value',
      value: expect.stringMatching(/^(nothing)+$/) as string,
    });
  });

  it.each(['node:fs', 'fs', 'std', 'os', './quickjs-engine.js', 'data:text/javascript,export default 1'])(
    'by import of %s',
    async (name) => {
      expect((await run(`async (r) => Object.keys(await import('${name}'))`)).kind).toBe('threw');
      expect((await run(`r => eval("import('${name}')")`)).kind).toBe('threw');
      expect((await run(`1); import x from '${name}'; (r => 1`)).kind).toBe('threw');
    },
  );

  it('in the stack of an error', async () => {
    const answer = await run('r => { try { null.x } catch (e) { return e.stack + new Error("y").stack } }');
    expect(answer.kind).toBe('value');
    expect(JSON.stringify(answer)).not.toMatch(/node_modules|quickjs|\.[jt]s:\d+:\d+\)?\s*at .*host|\/agent\/|file:/);
  });

  it.each([
    [
      'waits for other threads',
      'r => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000); return 1 }',
      /threw|limit/,
    ],
    ['shares much memory', 'r => new SharedArrayBuffer(1e9).byteLength', /threw|limit/],
    ['wakes others', 'r => Atomics.notify(new Int32Array(new SharedArrayBuffer(4)), 0, 1)', /value|threw/],
  ])('when it %s', async (_, source, kind) => {
    expect((await run(source)).kind).toMatch(kind);
  });
});

describe('a function answers for itself only', () => {
  const GOOD: SandboxAnswer = { kind: 'value', value: { status: 'UP', latency: 1 } };

  it.each<[string, string]>([
    ['of all objects', 'Object.prototype'],
    ['of all arrays', 'Array.prototype'],
    ['of all texts', 'String.prototype'],
  ])('where it changes the then %s', async (_, prototype) => {
    for (const text of [
      '"}{"',
      '"null"',
      '5',
      'null',
      'undefined',
      '{}',
      '[]',
      'Symbol()',
      '() => 1',
      '{ get length() { for (;;); } }',
    ]) {
      const forged = `{ const a = ['value', ${text}]; a.then = undefined; done(a) }`;
      const answer = await run(
        `r => { ${prototype}.then = function (done) ${forged}; return { status: "UP", latency: 1 } }`,
      );
      expect(['value', 'none', 'threw', 'limit']).toContain(answer.kind);
      expect(await run('r => ({ status: "UP", latency: 1 })')).toEqual(GOOD);
    }
  });

  it.each<[string, string]>([
    ['nothing of text', '{ message: { toString: 1, valueOf: 1 } }'],
    ['a promise', 'Promise.resolve(1)'],
    ['a promise that is refused', 'Promise.reject(1)'],
    ['a symbol', 'Symbol("x")'],
    ['a large number', '2n ** 64n'],
    ['itself in itself', '(() => { const a = { get message() { return a } }; return a })()'],
    ['what throws when it is read', '{ get message() { throw { get message() { throw 1 } } } }'],
    ['what throws when it is looked at', 'new Proxy({}, { has() { throw 1 }, get() { throw 2 } })'],
    ['an error of the engine', '{ name: "InternalError", message: "out of memory" }'],
    ['a function', '() => 1'],
    ['null', 'null'],
    ['a very long text', '"x".repeat(1e6)'],
    ['an error with a cause', 'new Error("x", { cause: globalThis })'],
    ['what is deep', '(() => { let a = []; for (let i = 0; i < 1e4; i++) a = [a]; return { message: a } })()'],
  ])('where it throws %s, in its body and while it is read', async (_, thrown) => {
    for (const source of [
      `r => { throw ${thrown} }`,
      `(() => { throw ${thrown} })()`,
      `async r => { throw ${thrown} }`,
    ]) {
      const answer = await run(source);
      expect([source, answer.kind]).toEqual([source, expect.stringMatching(/^(threw|limit)$/) as string]);
      expect('message' in answer && answer.message.length).toBeLessThanOrEqual(500);
      expect(judgeEval('tcpEval', answer, null, null)).toMatchObject({ status: 'DOWN', origin: 'ERROR' });
    }
    expect(await run('r => ({ status: "UP", latency: 1 })')).toEqual(GOOD);
  });

  it.each<[string, string]>([
    ['a prototype', '{ "__proto__": { status: "UP", latency: 1 } }'],
    ['a parsed prototype', 'JSON.parse(\'{"__proto__": {"status": "UP", "latency": 1}}\')'],
    ['a constructor', '{ constructor: { prototype: { status: "UP", latency: 1 } } }'],
    ['an inherited answer', 'Object.create({ status: "UP", latency: 1 })'],
    ['a negative latency', '{ status: "UP", latency: -1 }'],
    ['an endless latency', '{ status: "UP", latency: 1e308 * 10 }'],
    ['a latency of text', '{ status: "UP", latency: "1" }'],
    ['an unknown status', '{ status: "UNKNOWN", latency: 1 }'],
    ['a status that is a list', '{ status: ["UP"], latency: 1 }'],
    ['what hides in toJSON', '{ status: "UP", latency: 1, toJSON() { return this.constructor } }'],
    ['half a character', '"\\ud800"'],
  ])('where it returns %s, which is no answer', async (_, value) => {
    expect(judgeEval('tcpEval', await run(`r => (${value})`), null, null)).toMatchObject({
      status: 'DOWN',
      origin: 'ERROR',
    });
    expect(Object.hasOwn(Object.prototype, 'status')).toBe(false);
    expect(({} as { status?: unknown }).status).toBeUndefined();
  });

  it('where it replaces what the engine works with', async () => {
    await run(`r => {
      for (const name of ['Promise', 'JSON', 'Object', 'Array', 'String', 'Function', 'Error', 'Symbol', 'Reflect'])
        globalThis[name] = new Proxy(globalThis[name], { get() { for (;;); }, apply() { for (;;); } });
    }`);
    expect(await run('r => ({ status: "UP", latency: 1 })')).toEqual(GOOD);
    const answer = await run(`r => {
      JSON.stringify = () => '{"status":"DOWN"}'; String = () => 'x'; Promise.prototype.then = null;
      Array.prototype[Symbol.iterator] = null; Function.prototype.call = null;
      return { status: "UP", latency: 1 } }`);
    expect(answer).toEqual(GOOD);
  });
});

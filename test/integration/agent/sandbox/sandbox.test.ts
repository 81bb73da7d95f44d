import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxAnswer } from '../../../../agent/sandbox/answer.ts';
import { createSandbox } from '../../../../agent/sandbox/sandbox.ts';
import { monotonicMs } from '../../../../runtime/time.ts';

const never = new AbortController().signal;
const RESULTS = [
  { status: 'open', latency: 3.5, host: '192.0.2.1', port: 80, type: 'IP4', code: 'open' },
  { status: 'timeout', latency: 1000, host: '192.0.2.2', port: 80, type: 'IP4', code: 'timeout' },
];

/** One native call that nothing inside the engine can interrupt, for more than two seconds of CPU. */
const NATIVE = 'r => (1n << 1000000n).toString().length';

let shared: Sandbox;
beforeAll(() => {
  shared = createSandbox({ monotonicMs });
});
afterAll(() => shared.close());

const extra: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of extra.splice(0)) await sandbox.close();
});

function fresh(clock = monotonicMs, limitMs = 1000, giveUpMs = 15_000): Sandbox {
  const sandbox = createSandbox({ monotonicMs: clock, watchdog: { limitMs, giveUpMs } });
  extra.push(sandbox);
  return sandbox;
}

const run = (source: string, sandbox = shared): Promise<SandboxAnswer> => sandbox.evaluate(source, RESULTS, never);

describe('a function', () => {
  it.each([
    ['anonymous', 'function (r) { return { status: "UP", latency: r[0].latency } }'],
    ['named', 'function judge(r) { return { status: "UP", latency: r[0].latency } }'],
    ['async', 'async function (r) { await null; return { status: "UP", latency: r[0].latency } }'],
    ['an arrow', 'r => ({ status: "UP", latency: r[0].latency })'],
    ['an async arrow', 'async (r) => { return { status: "UP", latency: await r[0].latency } }'],
    ['in parentheses', '(function (r) { return { status: "UP", latency: r[0].latency } })'],
    ['with a semicolon behind it', '(async r => ({ status: "UP", latency: r[0].latency })) ; \n'],
    [
      'over lines, with comments',
      '// up\n(r) => {\n  /* all */ return { status: "UP", latency: r[0].latency };\n} // end',
    ],
    ['returning what can be awaited', 'r => ({ then(done) { done({ status: "UP", latency: r[0].latency }) } })'],
    ['in promises', 'r => Promise.all(r).then(([first]) => ({ status: "UP", latency: first.latency }))'],
  ])('that is %s is called with the results', async (_, source) => {
    expect(await run(source)).toEqual({ kind: 'value', value: { status: 'UP', latency: 3.5 } });
  });

  it('sees every result, as values of its own', async () => {
    const source = 'r => { const seen = JSON.stringify(r); r.length = 0; return seen }';
    expect(await run(source)).toEqual({ kind: 'value', value: JSON.stringify(RESULTS) });
    expect(RESULTS).toHaveLength(2);
  });

  it.each<[string, string, SandboxAnswer]>([
    ['returns null', 'r => null', { kind: 'none' }],
    ['returns nothing', 'r => {}', { kind: 'none' }],
    ['returns a function', 'r => r => r', { kind: 'none' }],
    ['waits for what never comes', 'r => new Promise(() => {})', { kind: 'none' }],
    ['throws an error', 'r => { throw new TypeError("boom") }', { kind: 'threw', message: 'boom' }],
    ['rejects', 'async r => { throw new Error("later") }', { kind: 'threw', message: 'later' }],
    ['throws text', 'r => { throw "text" }', { kind: 'threw', message: 'text' }],
    ['throws null', 'r => { throw null }', { kind: 'threw', message: 'null' }],
    ['throws what throws', 'r => { throw { get message() { throw "inner" } } }', { kind: 'threw', message: 'inner' }],
    [
      'reads what is not there',
      'r => r[9].latency',
      { kind: 'threw', message: expect.stringContaining('undefined') as string },
    ],
    ['is none', '42', { kind: 'threw', message: 'it is not a function' }],
    ['is not JavaScript', 'function (', { kind: 'threw', message: expect.any(String) as string }],
    [
      'returns what is no JSON',
      'r => ({ latency: 1n })',
      { kind: 'threw', message: expect.stringContaining('BigInt') as string },
    ],
    [
      'returns no number',
      'r => ({ status: "UP", latency: NaN })',
      { kind: 'value', value: { status: 'UP', latency: null } },
    ],
    ['returns far too much', 'r => "x".repeat(100000)', { kind: 'limit', message: 'returned too much' }],
  ])('that %s is answered so', async (_, source, expected) => {
    expect(await run(source)).toEqual(expected);
  });

  it('has no way to the host', async () => {
    const names = [
      'process',
      'require',
      'module',
      'fetch',
      'setTimeout',
      'WebAssembly',
      'Deno',
      'console',
      'std',
      'os',
    ];
    const source = `r => [${names.map((name) => `typeof ${name}`).join()}, typeof this.constructor.constructor("return globalThis")().process]`;
    expect(await run(source)).toEqual({ kind: 'value', value: new Array(names.length + 1).fill('undefined') });
    expect(await run('async r => (await import("node:fs")).readFileSync')).toMatchObject({ kind: 'threw' });
  });

  it('leaves nothing behind for the next one', async () => {
    await run(
      'r => { globalThis.leak = 1; Object.prototype.status = "UP"; JSON.stringify = () => "{}"; Promise.prototype.then = null }',
    );
    expect(await run('r => ({ latency: typeof leak })')).toEqual({ kind: 'value', value: { latency: 'undefined' } });
  });
});

describe('a function without measure', () => {
  it.each<[string, string, string | RegExp]>([
    ['loops', 'r => { for (;;); }', 'took too long'],
    ['loops over promises', 'async r => { for (;;) await null }', 'took too long'],
    ['loops in a getter of its result', 'r => ({ get status() { for (;;); } })', 'took too long'],
    ['loops in a thenable', 'r => ({ then() { for (;;); } })', 'took too long'],
    ['loops in the message of its error', 'r => { throw { get message() { for (;;); } } }', 'took too long'],
    ['catches and goes on', 'r => { for (;;) try { for (;;); } catch {} }', 'took too long'],
    ['backtracks for ever', 'r => /^(a+)+$/.test("a".repeat(40) + "b")', 'took too long'],
    ['loops while it is read', '(() => { for (;;); })()', 'took too long'],
    [
      'fills memory with arrays',
      'r => { const a = []; for (;;) a.push(new Array(1000).fill(1)) }',
      /took too long|used too much memory/,
    ],
    ['asks for too much at once', 'r => "x".repeat(1e9)', 'used too much memory'],
    ['asks for a huge buffer', 'r => new Uint8Array(1e8).length', 'used too much memory'],
    ['recurses', 'r => { const f = () => f() + 1; return f() }', /used too much stack|Maximum call stack/],
    ['is nested too deeply', `r => ${'['.repeat(20_000)}${']'.repeat(20_000)}`, /used too much stack|stack/],
  ])('that %s is ended, and the next one runs', async (_, source, message) => {
    const answer = await run(source);
    expect(answer).toMatchObject({
      message: typeof message === 'string' ? message : (expect.stringMatching(message) as unknown),
    });
    expect(['limit', 'threw']).toContain(answer.kind);
    expect(await run('r => ({ status: "UP", latency: 1 })')).toMatchObject({ kind: 'value' });
  });

  it('inside a native call is killed with its worker, and those who wait are answered by the next', async () => {
    const sandbox = fresh();
    await run('r => 1', sandbox);
    const killed = run(NATIVE, sandbox);
    const bystanders = [1, 2, 3].map((number) => run(`r => ({ status: "UP", latency: ${number} })`, sandbox));
    expect(await killed).toEqual({ kind: 'limit', message: 'took too long' });
    expect(await Promise.all(bystanders)).toEqual(
      [1, 2, 3].map((latency) => ({ kind: 'value', value: { status: 'UP', latency } })),
    );
  });

  it('that killed three workers is not run again for ten minutes, while another source is', async () => {
    let nowMs = 0;
    const sandbox = fresh(() => nowMs, 200);
    for (let kill = 0; kill < 3; kill += 1) expect(await run(NATIVE, sandbox)).toMatchObject({ kind: 'limit' });
    const startedMs = performance.now();
    expect(await run(NATIVE, sandbox)).toEqual({ kind: 'limit', message: 'took too long' });
    expect(performance.now() - startedMs).toBeLessThan(200);
    expect(await run(`${NATIVE} // changed`, sandbox)).toMatchObject({ kind: 'limit' });
    nowMs = 10 * 60_000 + 1;
    const againMs = performance.now();
    expect(await run(NATIVE, sandbox)).toMatchObject({ kind: 'limit' });
    expect(performance.now() - againMs).toBeGreaterThan(200);
  });
});

describe('the sandbox itself', () => {
  it('blames no function for a host that does not let its worker run', async () => {
    // After a second, the watchdog's first look, nobody waits any more; for a fault the function had four.
    const sandbox = fresh(monotonicMs, 4000, 100);
    const starved = { kind: 'failed', message: 'the worker was not let run' };
    for (let kill = 0; kill < 3; kill += 1) expect(await run(NATIVE, sandbox)).toEqual(starved);
    const startedMs = performance.now();
    expect(await run(NATIVE, sandbox)).toEqual(starved);
    expect(performance.now() - startedMs).toBeGreaterThan(500);
  });

  it('answers failed when the check ends, to those who wait too, and goes on', async () => {
    const sandbox = fresh();
    const controller = new AbortController();
    const answers = [NATIVE, 'r => 1'].map((source) => sandbox.evaluate(source, RESULTS, controller.signal));
    controller.abort();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ kind: 'failed' });
    expect(await run('r => 2', sandbox)).toEqual({ kind: 'value', value: 2 });
  });

  it('answers failed when it is closed', async () => {
    const sandbox = fresh();
    const answers = [run(NATIVE, sandbox), run('r => 1', sandbox)];
    await sandbox.close();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ kind: 'failed' });
    expect(await run('r => 1', sandbox)).toMatchObject({ kind: 'failed' });
  });

  it('runs a thousand functions without growing', async () => {
    const sandbox = fresh();
    for (let count = 0; count < 200; count += 1) await run('r => ({ status: "UP", latency: 1 })', sandbox);
    const before = process.memoryUsage().rss;
    for (let count = 0; count < 1000; count += 1) {
      expect(await run('r => ({ status: "UP", latency: r.length })', sandbox)).toMatchObject({ kind: 'value' });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });
});

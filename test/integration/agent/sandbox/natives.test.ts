import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../../agent/sandbox/answer.ts';
import { createSandbox } from '../../../../agent/sandbox/sandbox.ts';
import { monotonicMs } from '../../../../runtime/time.ts';

const never = new AbortController().signal;
const LIMIT_MS = 250;

let sandbox: Sandbox;
let before: number;
beforeAll(async () => {
  sandbox = createSandbox({ monotonicMs, watchdog: { limitMs: LIMIT_MS, giveUpMs: 15_000 } });
  await sandbox.evaluate('r => 1', [], never);
  before = process.memoryUsage().rss;
});
afterAll(() => sandbox.close());

/** One native call each: nothing inside the engine looks at the time while it runs. */
const NATIVES: [string, string][] = [
  ['writes a long number', '(1n << 1000000n).toString().length'],
  ['raises a number', '(3n ** 3000000n) > 0n'],
  ['reads a long number', 'BigInt("9".repeat(300000)) > 0n'],
  ['multiplies long numbers', '((1n << 8000000n) - 1n) * ((1n << 8000000n) - 1n) > 0n'],
  ['divides long numbers', '((1n << 8000000n) - 1n) / ((1n << 3000000n) - 7n) > 0n'],
  ['looks backwards through nothing', '[].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)'],
  ['looks through nothing', '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)'],
  ['looks whether nothing is there', '[].includes.call({ length: 2 ** 53 - 1 }, 1)'],
  ['turns nothing round', '[].reverse.call({ length: 2 ** 53 - 1 })'],
  ['moves nothing', '[].copyWithin.call({ length: 2 ** 53 - 1 }, 1, 0)'],
  ['joins nothing', '[].join.call({ length: 2 ** 31 }, "")'],
  ['fills nothing', '[].fill.call({ length: 2 ** 53 - 1 }, 1)'],
  ['takes from the front of nothing', '[].shift.call({ length: 2 ** 53 - 1 })'],
  ['sorts texts', 'Array.from({ length: 100000 }, (_, i) => "x".repeat(20) + i).sort().length'],
  ['sorts bytes', 'new Float64Array(800000).map((_, i) => -i).sort().length'],
  ['repeats', '"x".repeat(7e6).length'],
  ['pads', '"x".padStart(7e6, "ab").length'],
  ['repeats the repeated', '"x".repeat(2 ** 30 - 1).length'],
  ['normalises', '"\\u1e9b\\u0323".repeat(200000).normalize("NFKD").length'],
  ['cases', '"\\u0130".repeat(500000).toLowerCase().length'],
  ['splits', '"x".repeat(1e6).split("").length'],
  ['replaces', '"x".repeat(1e6).replace(/x/g, "yy").length'],
  ['replaces with what it found', '"x".repeat(20000).replace(/x/g, "$`").length'],
  ['backtracks over pairs', '/^(a|a)*$/.test("a".repeat(40) + "b")'],
  ['backtracks over groups', '/(x+x+)+y/.test("x".repeat(40))'],
  ['backtracks over references', '/(?=(a+))a*b\\1/.test("a".repeat(30000))'],
  ['repeats nothing in a pattern', '/(?:){1000000}{1000000}/.test("")'],
  ['builds a large pattern', 'new RegExp("(a{1,1000}){1,1000}".repeat(20)).test("a")'],
  ['looks behind', '/(?<=a{1,1000}b)c/.test("a".repeat(20000))'],
  ['writes JSON', 'JSON.stringify("\\u0001".repeat(1e6)).length'],
  ['writes JSON of much', 'JSON.stringify(new Array(100000).fill([])).length'],
  ['reads deep JSON', 'JSON.parse("[".repeat(1e6))'],
  ['reads wide JSON', 'JSON.parse("[" + "0,".repeat(5e5) + "0]").length'],
  ['escapes', 'encodeURIComponent("\\u20ac".repeat(500000)).length'],
  ['calls with many arguments', 'String.fromCharCode.apply(null, { length: 1e7 })'],
  ['concatenates what is long', '[].concat.apply([], new Array(60000).fill([1, 2, 3])).length'],
  ['flattens', 'new Array(1000).fill(new Array(1000).fill(1)).flat().length'],
  ['counts to the end of an empty list', 'new Array(2 ** 32 - 1).join("x").length'],
  ['spreads', '[...new Uint8Array(2e6)].length'],
  ['reads a date', 'Date.parse("1".repeat(1e6))'],
  ['reads a number', 'Number("1".repeat(5e6)) + parseFloat("0." + "0".repeat(5e6) + "1")'],
  ['writes digits', '(1.5).toFixed(100) + (1e21).toString(2).repeat(1000)'],
  ['compares', '"x".repeat(5e6).localeCompare("x".repeat(5e6) + "y")'],
  ['searches', '("ab".repeat(200000)).indexOf("b".repeat(100000) + "c")'],
  ['makes a long name', 'Symbol("x".repeat(7e6)).toString().length'],
  [
    'builds a chain of prototypes',
    'let o = {}; for (let i = 0; i < 50000; i++) o = Object.create(o); return o.nothing',
  ],
  ['binds the bound', 'let f = (x) => x; for (let i = 0; i < 20000; i++) f = f.bind(null); return f(1)'],
  ['wraps the wrapped', 'let p = {}; for (let i = 0; i < 20000; i++) p = new Proxy(p, {}); return p.x'],
  [
    'nests promises',
    'let p = Promise.resolve(1); for (let i = 0; i < 20000; i++) p = Promise.resolve({ then: p.then.bind(p) }); return p',
  ],
  ['copies buffers', 'let n = 0; for (let i = 0; i < 1e6; i++) n += new Uint8Array(7e6).slice().length; return n'],
];

describe('a native call that nothing can interrupt', () => {
  it.each(NATIVES)('that %s ends within its limits, and the next function runs', async (_, expression) => {
    const source = /\breturn\b/.test(expression) ? `r => { ${expression} }` : `r => ${expression}`;
    const begun = process.cpuUsage();
    const evaluated = sandbox.evaluate(source, [], never);
    const bystander = sandbox.evaluate('r => ({ status: "UP", latency: 1 })', [], never);
    const answer = await evaluated;
    const { user, system } = process.cpuUsage(begun);
    expect(['limit', 'threw', 'value', 'none']).toContain(answer.kind);
    // The limit, the step in which it is looked for, and what this process does besides.
    expect((user + system) / 1000).toBeLessThan(4 * LIMIT_MS + 500);
    expect(await bystander).toEqual({ kind: 'value', value: { status: 'UP', latency: 1 } });
  });

  it('leaves the memory of the process as it was', () => {
    expect(process.memoryUsage().rss - before).toBeLessThan(150 << 20);
  });
});

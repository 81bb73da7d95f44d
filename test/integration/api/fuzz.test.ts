import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMonitor, unusedTag } from '../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../support/api-server.ts';

/** FUZZ_REQUESTS=100000 is the long run. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 600);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_120);
/** Far above what any of these takes on a busy machine, a year of points written by hand included. */
const HANG_MS = 30_000;

type Json = Record<string, unknown>;
interface Schema {
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  pattern?: string;
}
interface Parameter {
  name: string;
  in: 'path' | 'query';
  schema: Schema;
}
interface Operation {
  parameters: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema; example?: Json } } };
}

let test: TestApi;
beforeAll(async () => {
  test = await startApi();
});
afterAll(() => test.stop());

const deep = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => ({ a: [inner] }), null);

const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '\udc00x',
    '🙂',
    "'; drop table monitors; --",
    '${x}',
    '%00',
    '../..',
    'x'.repeat(5000),
  ),
  fc.constantFrom('ACTIVE', 'YES', 'UP', 'PING', 'TCP', 'DNS', '*/5 * * * *', '99 * * * *', '127.0.0.1', '::1', 'null'),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const hostileNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 0.1, 1e-320, 1e308, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 63), 253_402_300_800, 60.5),
  fc.integer(),
  fc.double(),
);
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    [],
    {},
    [[]],
    deep(5),
    deep(40),
    JSON.parse('{"__proto__":{"a":1},"constructor":1}'),
  ),
  hostileText,
  hostileNumber,
  fc.jsonValue({ maxDepth: 3 }),
  fc.record({
    hosts: fc.array(fc.record({ host: hostileText, type: hostileText, port: hostileNumber }, { requiredKeys: [] })),
  }),
  fc.record({ quorum: hostileNumber, regions: fc.array(hostileText) }, { requiredKeys: [] }),
);

/** Something of the schema's type, but no more than that. */
function fromSchema(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fromSchema));
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map(fromSchema)).map((parts) => Object.assign({}, ...parts) as Json);
  if (schema.properties) return members(schema.properties);
  if (schema.type === 'array') return fc.array(fromSchema(schema.items ?? {}), { maxLength: 4 });
  if (/^(integer|number)$/.test(String(schema.type))) return fc.oneof(now, hostileNumber);
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern), { maxLength: 12 });
  if (schema.type === 'string') return fc.oneof(fc.string({ minLength: 1, maxLength: 10 }), hostileText);
  return hostile;
}

const now = fc
  .integer({ min: -500 * 86_400, max: 500 * 86_400 })
  .map((offset) => Math.floor(Date.now() / 1000) + offset);

function members(properties: Record<string, Schema>): fc.Arbitrary<unknown> {
  const likely = (schema: Schema) =>
    fc.oneof({ weight: 4, arbitrary: fromSchema(schema) }, { weight: 1, arbitrary: hostile });
  const entries = Object.entries(properties).map(([name, schema]) => [name, likely(schema)] as const);
  return fc.record(Object.fromEntries(entries), {
    requiredKeys: Object.keys(properties).filter((_, index) => index < 2),
  });
}

/** The document's own example, with a member or two put in or replaced. */
function variations(example: Json, schema: Schema): fc.Arbitrary<unknown> {
  const properties = Object.assign(
    {},
    schema.properties,
    ...(schema.allOf ?? []).map((part) => part.properties),
  ) as Record<string, Schema>;
  const changes = fc.subarray(Object.entries(properties), { maxLength: 2 });
  const fresh = properties.tag?.pattern ? fromSchema(properties.tag).map((tag) => ({ tag })) : fc.constant({});
  const replaced = changes.chain((chosen) => members(Object.fromEntries(chosen)));
  return fc.tuple(fresh, replaced).map(([tag, members]) => ({ ...example, ...tag, ...(members as Json) }));
}

interface Attempt {
  method: string;
  path: string;
  json?: unknown;
}

function attemptOn(method: string, template: string, operation: Operation, tags: string[]): fc.Arbitrary<Attempt> {
  const known = (name: string): fc.Arbitrary<unknown> => {
    if (name === 'tag') return fc.constantFrom(...tags);
    if (name === 'page_path') return fc.constantFrom('~home', 'storefront');
    // Ids count from 1, and rows come into being as the run goes on.
    return name.endsWith('_id') ? fc.integer({ min: 1, max: 6 }) : now;
  };
  const values = fc.tuple(
    ...operation.parameters.map(({ name, in: place, schema }) => {
      const value = fc.oneof(
        { weight: 3, arbitrary: place === 'path' ? known(name) : fromSchema(schema) },
        { weight: 1, arbitrary: hostile },
      );
      return value.map((given) => ({ name, place, text: encodeURIComponent(textOf(given)) }));
    }),
  );
  const { schema, example = {} } = operation.requestBody?.content['application/json'] ?? {};
  const body = schema
    ? fc.oneof(
        { weight: 3, arbitrary: variations(example, schema) },
        { weight: 2, arbitrary: fromSchema(schema) },
        { weight: 1, arbitrary: hostile },
      )
    : fc.constant(undefined);
  return fc.tuple(values, body).map(([given, json]) => {
    const inPath = given.filter(({ place }) => place === 'path');
    const path = inPath.reduce((text, value) => text.replace(`{${value.name}}`, () => value.text || 'x'), template);
    const query = given.filter(({ place }) => place === 'query').map(({ name, text }) => `${name}=${text}`);
    return { method: method.toUpperCase(), path: `${path}?${query.join('&')}`, json };
  });
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // fetch would take a dot segment out of the path.
  return text
    .replace(/\p{Surrogate}/gu, '?')
    .replace(/^\.+$/, 'dots')
    .slice(0, 2000);
}

it(`never answers 500, never hangs and never leaves the document, whatever it is sent (seed ${SEED})`, async () => {
  const tags = [unusedTag(), unusedTag(), unusedTag()];
  for (const tag of tags) await createMonitor(test.api, { tag });
  // The document's own shape, as OpenAPI defines it.
  const paths = test.api.document.paths as Record<string, Record<string, Operation>>;
  const attempts = Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => attemptOn(method, template, operation, tags)),
  );
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.oneof(...attempts), async ({ method, path, json }) => {
      const started = performance.now();
      const answer = await test.api.request(method, path, { json });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expect(answer.status, answer.text).toBeLessThan(500);
      expect(performance.now() - started).toBeLessThan(HANG_MS);
      // The known monitors stay known.
      const deleted =
        method === 'DELETE' && answer.status === 200 ? tags.find((tag) => path.includes(`/${tag}?`)) : undefined;
      if (deleted) await createMonitor(test.api, { tag: deleted });
    }),
    { seed: SEED, numRuns: REQUESTS },
  );
  // A fuzz that is only ever refused at the door would prove nothing.
  for (const status of [200, 201, 400, 404])
    expect(statuses.get(status) ?? 0, `answers of ${status}`).toBeGreaterThan(0);
  expect((await test.api.get('/healthz')).status).toBe(200);
}, 600_000);

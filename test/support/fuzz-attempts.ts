import fc from 'fast-check';

/** Requests drawn from the OpenAPI document: what it asks for, and what nobody would. */

type Json = Record<string, unknown>;
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  pattern?: string;
}
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}
interface Operation {
  parameters: Parameter[];
  requestBody?: {
    content: { 'application/json': { schema: Schema; example?: Json; examples?: Record<string, { value: Json }> } };
  };
}

export interface Attempt {
  method: string;
  path: string;
  headers: Record<string, string>;
  json?: unknown;
}

/** One source of requests for each operation, and for each action of the dashboard's endpoint. */
export function attemptsOf(document: Json, tags: readonly string[]): fc.Arbitrary<Attempt>[] {
  const schemas = (document.components as { schemas: Record<string, Schema> }).schemas;
  const drawing = new Drawing(schemas, tags);
  // The document's own shape, as OpenAPI defines it.
  const paths = document.paths as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      bodiesOf(operation).map((body) => drawing.attempt(method, template, operation, body)),
    ),
  );
}

interface Body {
  schema: Schema;
  example: Json;
}

function bodiesOf({ requestBody }: Operation): (Body | undefined)[] {
  if (!requestBody) return [undefined];
  const { schema, example = {}, examples } = requestBody.content['application/json'];
  if (!examples) return [{ schema, example }];
  return Object.entries(examples).map(([name, { value }]) => ({
    schema: { $ref: `#/components/schemas/${name}` },
    example: value,
  }));
}

const deep = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => ({ a: [inner] }), null);

const hostileText = fc.oneof(
  fc.constantFrom('', ' ', '\0', '\ud800', '\udc00x', '🙂', "'; drop table monitors; --", '${x}', '%00', '../..'),
  fc.constantFrom('x'.repeat(5000), 'é'.repeat(300), '\u202e', '<script>', '-', '1e3', '2abc', '__proto__'),
  fc.constantFrom('ACTIVE', 'YES', 'UP', 'PING', 'TCP', 'DNS', '*/5 * * * *', '99 * * * *', '127.0.0.1', '::1', 'null'),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const hostileNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 0.1, 1e-320, 1e308, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 63), 253_402_300_800, 60.5),
  fc.integer(),
  fc.double(),
);
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], deep(5), deep(40), deep(1000)),
  fc.constantFrom<unknown>(JSON.parse('{"__proto__":{"a":1},"constructor":1}'), [null], { length: 1e9 }),
  hostileText,
  hostileNumber,
  fc.jsonValue({ maxDepth: 3 }),
  fc.record({
    hosts: fc.array(fc.record({ host: hostileText, type: hostileText, port: hostileNumber }, { requiredKeys: [] })),
  }),
  fc.record({ quorum: hostileNumber, regions: fc.array(hostileText) }, { requiredKeys: [] }),
);

const around = (days: number) =>
  fc.integer({ min: -days * 86_400, max: days * 86_400 }).map((offset) => Math.floor(Date.now() / 1000) + offset);
/** Mostly near each other: writing a year of points is asked for now and then, not all the time. */
const moment = fc.oneof({ weight: 15, arbitrary: around(1) }, { weight: 1, arbitrary: around(500) });

class Drawing {
  readonly schemas: Record<string, Schema>;
  readonly tags: readonly string[];

  constructor(schemas: Record<string, Schema>, tags: readonly string[]) {
    this.schemas = schemas;
    this.tags = tags;
  }

  attempt(method: string, template: string, { parameters }: Operation, body?: Body): fc.Arbitrary<Attempt> {
    const values = fc.tuple(
      ...parameters.map(({ name, in: place, schema }) => {
        const likely = place === 'query' ? this.of(schema) : this.named(place, name);
        const value = fc.oneof({ weight: 3, arbitrary: likely }, { weight: 1, arbitrary: hostile });
        return value.map((given) => ({ name, place, text: textOf(given) }));
      }),
    );
    return fc.tuple(values, this.body(body)).map(([given, json]) => {
      const at = (wanted: Parameter['in']) => given.filter(({ place, text }) => place === wanted && text !== '');
      const path = template.replace(/\{(\w+)\}/g, (_, name) =>
        encodeURIComponent(at('path').find((value) => value.name === name)?.text ?? 'x'),
      );
      const query = at('query').map(({ name, text }) => `${name}=${encodeURIComponent(text)}`);
      const headers = at('header').map(({ name, text }) => [name, text.replace(/[^\x20-\x7e]/g, '')] as const);
      return {
        method: method.toUpperCase(),
        path: `${path}?${query.join('&')}`,
        headers: Object.fromEntries(headers),
        json,
      };
    });
  }

  /** What is likely to be there, or to be known: ids count from 1, and rows come into being as the run goes on. */
  named(place: 'path' | 'header', name: string): fc.Arbitrary<unknown> {
    if (place === 'header') return fc.constantFrom('', '', '', '', '', 'one', '*', '"two"');
    if (name === 'tag') return fc.constantFrom(...this.tags);
    if (name === 'page_path') return fc.constantFrom('~home', 'storefront');
    return name.endsWith('_id') ? fc.integer({ min: 1, max: 6 }) : moment;
  }

  body(body?: Body): fc.Arbitrary<unknown> {
    if (!body) return fc.constant(undefined);
    return fc.oneof(
      { weight: 4, arbitrary: this.variations(body) },
      { weight: 2, arbitrary: this.of(body.schema) },
      { weight: 1, arbitrary: hostile },
    );
  }

  /** Something of the schema's type, but no more than that. */
  of(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
    if (schema.$ref !== undefined) return this.of(this.referenced(schema.$ref), depth);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const variants = schema.anyOf ?? schema.oneOf;
    if (variants) return fc.oneof(...variants.map((variant) => this.of(variant, depth)));
    if (schema.allOf)
      return fc
        .tuple(...schema.allOf.map((part) => this.of(part, depth)))
        .map((parts) => Object.assign({}, ...parts) as Json);
    if (schema.properties) return depth > 6 ? hostile : this.members(schema.properties, depth + 1);
    return this.simple(schema, depth);
  }

  simple({ type, items = {}, pattern }: Schema, depth: number): fc.Arbitrary<unknown> {
    if (type === 'array') return fc.array(this.of(items, depth + 1), { maxLength: 4 });
    if (/^(integer|number)$/.test(String(type))) return fc.oneof(moment, fc.integer({ min: 0, max: 6 }), hostileNumber);
    // fast-check draws from no pattern that looks ahead.
    if (pattern !== undefined && !pattern.includes('(?'))
      return fc.stringMatching(new RegExp(pattern), { maxLength: 12 });
    if (type === 'string') return fc.oneof(fc.string({ minLength: 1, maxLength: 10 }), hostileText);
    return hostile;
  }

  members(properties: Record<string, Schema>, depth: number): fc.Arbitrary<unknown> {
    const likely = (name: string, schema: Schema): fc.Arbitrary<unknown> => {
      const known = /tag$/i.test(name) ? fc.constantFrom<unknown>(...this.tags) : this.of(schema, depth);
      return fc.oneof({ weight: 5, arbitrary: known }, { weight: 1, arbitrary: hostile });
    };
    const entries = Object.entries(properties).map(([name, schema]) => [name, likely(name, schema)] as const);
    return fc.record(Object.fromEntries(entries), {
      requiredKeys: Object.keys(properties).filter((_, index) => index < 2),
    });
  }

  /** The document's own example, with a member or two put in or replaced. */
  variations({ schema, example }: Body): fc.Arbitrary<unknown> {
    const properties = this.propertiesOf(schema);
    // An action of the dashboard: what varies is its data.
    if (properties.action?.const !== undefined && properties.data)
      return this.variations({ schema: properties.data, example: (example.data ?? {}) as Json }).map((data) => ({
        ...example,
        data,
      }));
    const entries = Object.entries(properties);
    const changes = fc.subarray(entries, { maxLength: Math.min(entries.length, 2) });
    const fresh = properties.tag?.pattern ? this.of(properties.tag).map((tag) => ({ tag })) : fc.constant({});
    const replaced = changes.chain((chosen) => this.members(Object.fromEntries(chosen), 0));
    return fc.tuple(fresh, replaced).map(([tag, members]) => ({ ...example, ...tag, ...(members as Json) }));
  }

  propertiesOf(schema: Schema): Record<string, Schema> {
    if (schema.$ref !== undefined) return this.propertiesOf(this.referenced(schema.$ref));
    const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])].map((part) => this.propertiesOf(part));
    return Object.assign({}, schema.properties, ...parts) as Record<string, Schema>;
  }

  referenced(reference: string): Schema {
    return this.schemas[reference.split('/').at(-1) ?? ''] ?? {};
  }
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // fetch would take a dot segment out of the path.
  return text
    .replace(/\p{Surrogate}/gu, '?')
    .replace(/^\.+$/, 'dots')
    .slice(0, 2000);
}

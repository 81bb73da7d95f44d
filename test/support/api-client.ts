import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed body, or the text where it is no JSON; undefined where there is none. */
  body: unknown;
  text: string;
}

export interface Request {
  /** null: no Authorization header. */
  authorization?: string | null;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** A client that holds every answer against the OpenAPI document the server itself publishes. */
export interface ApiClient {
  base: string;
  document: Json;
  request(method: string, path: string, request?: Request): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, json: unknown): Promise<Answer>;
  patch(path: string, json: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

/** Reads the document of the server at `base` and returns a client that sends `key`. */
export async function createApiClient(base: string, key: string): Promise<ApiClient> {
  // The server's own document; every schema in it is compiled below, so a malformed one fails there.
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as Json;
  const check = createChecker(document);
  const request = async (method: string, path: string, options: Request = {}): Promise<Answer> => {
    const { authorization = `Bearer ${key}`, json, raw, headers = {} } = options;
    const response = await fetch(base + path, {
      method,
      headers: { ...(authorization !== null && { authorization }), ...headers },
      body: json === undefined ? raw : JSON.stringify(json),
    });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, body: bodyOf(text, response.headers), text };
    check(method, path, answer);
    return answer;
  };
  return {
    base,
    document,
    request,
    get: (path) => request('GET', path),
    post: (path, json) => request('POST', path, { json }),
    patch: (path, json) => request('PATCH', path, { json }),
    delete: (path) => request('DELETE', path),
  };
}

function bodyOf(text: string, headers: Headers): unknown {
  if (text === '') return undefined;
  return mediaTypeOf(headers) === 'application/json' ? JSON.parse(text) : text;
}

function mediaTypeOf(headers: Headers): string {
  return headers.get('content-type')?.split(';')[0] ?? '';
}

/** What an answer must be: a documented status with a body of the documented schema, or the envelope. */
function createChecker(document: Json) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'openapi', ...document });
  const compiled = new Map<string, ValidateFunction>();
  const validate = (pointer: string, value: unknown, label: string): void => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    compiled.set(pointer, known);
    if (known(value)) return;
    throw new Error(`${label} does not fit the document: ${ajv.errorsText(known.errors)}\n${JSON.stringify(value)}`);
  };
  return (method: string, path: string, answer: Answer): void => {
    const label = `${method} ${path} -> ${answer.status}`;
    if (!answer.headers.get('x-request-id')) throw new Error(`${label} carries no request id`);
    const mediaType = mediaTypeOf(answer.headers);
    const operation = method === 'HEAD' ? 'GET' : method;
    const documented = contentOf(document, operation, path, answer.status);
    if (documented === undefined) throw new Error(`${label} is not documented`);
    if (method === 'HEAD' || answer.status === 304) {
      if (answer.text !== '') throw new Error(`${label} has a body`);
      return;
    }
    const pointer = documented[mediaType];
    if (pointer === undefined) throw new Error(`${label} is ${mediaType}, which is not documented`);
    validate(pointer, answer.body, label);
  };
}

const ENVELOPE = { 'application/json': '/components/schemas/Error' };

/** Where the document describes this answer, by media type; undefined where it does not. */
function contentOf(
  document: Json,
  method: string,
  path: string,
  status: number,
): Partial<Record<string, string>> | undefined {
  // The document's own shape, as OpenAPI defines it.
  const paths = document.paths as Partial<Record<string, Partial<Record<string, { responses: Responses }>>>>;
  const pathname = path.split('?')[0]?.replace(/(?<=.)\/$/, '') ?? '';
  const template = Object.keys(paths).find((candidate) => matches(candidate, pathname)) ?? '';
  const operation = paths[template]?.[method.toLowerCase()];
  if (operation === undefined) return undescribed(template === '', status);
  const steps = ['paths', template, method.toLowerCase(), 'responses', String(status), 'content'];
  const response = operation.responses[status];
  // What all operations share is the envelope.
  return response?.$ref === undefined ? response && pointersOf(response.content, steps) : ENVELOPE;
}

/** What no operation describes: an unknown route, a wrong method, or the missing key that is noticed first. */
function undescribed(isUnknown: boolean, status: number): typeof ENVELOPE | undefined {
  const expected = isUnknown ? [400, 401, 404, 429] : [401, 405, 429];
  return expected.includes(status) ? ENVELOPE : undefined;
}

type Responses = Partial<Record<string, { $ref?: string; content?: Json }>>;

function pointersOf(content: Json = {}, steps: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.keys(content).map((type) => [type, pointerOf([...steps, type, 'schema'])]));
}

function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
}

function matches(template: string, pathname: string): boolean {
  const wanted = template.split('/');
  const given = pathname.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part === given[index] || (part.startsWith('{') && given[index] !== ''))
  );
}

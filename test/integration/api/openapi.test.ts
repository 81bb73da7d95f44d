import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../support/api-server.ts';

type Json = Record<string, unknown>;
interface Media {
  schema: Json;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  operationId: string;
  summary: string;
  parameters: { name: string; in: string }[];
  security: Json[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { $ref?: string; content?: Record<string, Media>; headers?: Json }>;
}

let test: TestApi;
beforeAll(async () => {
  test = await startApi();
});
afterAll(() => test.stop());

const operations = (): [label: string, operation: Operation][] =>
  // The document's own shape, as OpenAPI defines it.
  Object.entries(test.api.document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );

const examplesOf = ({ example, examples = {} }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

it('is a valid OpenAPI 3.1 document', async () => {
  const validator = new Validator();
  const result = await validator.validate(test.api.document);
  expect(result.errors ?? []).toEqual([]);
  expect([result.valid, validator.version]).toEqual([true, '3.1']);
});

it('names each operation once', () => {
  const ids = operations().map(([, { operationId }]) => operationId);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

describe('examples', () => {
  it('stand beside every JSON body that is asked or answered, and fit its schema', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addSchema({ $id: 'openapi', ...test.api.document });
    const faults: string[] = [];
    for (const [label, { requestBody, responses }] of operations()) {
      const bodies = [requestBody, ...Object.values(responses)].flatMap((body) => Object.entries(body?.content ?? {}));
      for (const [type, media] of bodies) {
        if (type !== 'application/json') continue;
        const given = examplesOf(media);
        if (given.length === 0) faults.push(`${label} has a body without an example`);
        const validate = ajv.compile(JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', '"openapi#/')) as Json);
        for (const example of given)
          if (!validate(example))
            faults.push(`${label}: ${JSON.stringify(example)} ${ajv.errorsText(validate.errors)}`.slice(0, 1000));
      }
    }
    expect(faults).toEqual([]);
  });

  it.each(['/api/v4/monitors', '/api/v4/incidents', '/api/v4/maintenances', '/api/v4/pages'])(
    'of %s are taken as they are',
    async (path) => {
      const [, operation] = operations().find(([label]) => label === `post ${path}`) ?? [];
      const media = operation?.requestBody?.content['application/json'];
      const answer = await test.api.post(path, media && examplesOf(media)[0]);
      expect(answer.status, answer.text).toBe(201);
    },
  );
});

it('says of every operation how it fails, in shared answers', () => {
  const shared = (test.api.document.components as { responses: Json }).responses;
  expect(Object.keys(shared)).toEqual(
    expect.arrayContaining(['BadRequest', 'Unauthorized', 'Forbidden', 'NotFound', 'MethodNotAllowed']),
  );
  for (const [label, { responses, security, requestBody }] of operations()) {
    const expected = ['400', '429', '500', '503'];
    if (security.length > 0) expected.push('401', '403');
    if (label.includes('{')) expected.push('404');
    if (requestBody) expected.push('413');
    expect(Object.keys(responses), label).toEqual(expect.arrayContaining(expected));
    expect(responses[500]?.$ref, label).toBe('#/components/responses/InternalError');
  }
});

it('tells of the key of a request where answers are kept, and of tags where there are any', () => {
  for (const [label, { parameters, responses }] of operations()) {
    const headers = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
    expect(headers.includes('Idempotency-Key'), label).toBe(label.startsWith('post /api/v4/'));
    expect(headers.includes('If-None-Match'), label).toBe('304' in responses);
  }
});

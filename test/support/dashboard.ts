import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Action } from '../../api/manage/action.ts';
import { ACTIONS } from '../../api/manage/actions.ts';
import { PERMISSIONS } from '../../core/permissions.ts';
import { createApiKey } from '../../db/api-keys.ts';
import type { Answer } from './api-client.ts';
import { startApi, type ApiSettings, type TestApi } from './api-server.ts';

/** The dashboard's endpoint as its users meet it. */
export interface Dashboard {
  test: TestApi;
  /** Asks with a key that has the permission of the action and no other. */
  ask(action: string, data?: unknown): Promise<Answer>;
  /** Asks with a key that has every permission but that one. */
  askWithout(action: string, data?: unknown): Promise<Answer>;
  /** As `ask`, and the answer is a success that fits the schema of the action's result. */
  run<T = unknown>(action: string, data?: unknown): Promise<T>;
}

export async function startDashboard(settings: ApiSettings = {}): Promise<Dashboard> {
  const test = await startApi(settings);
  const keys = new Map<string, Promise<string>>();
  const keyOf = (name: string, permissions: readonly string[]): Promise<string> => {
    const known = keys.get(name) ?? createKey(test, name, permissions);
    keys.set(name, known);
    return known;
  };
  const post = (key: string, action: string, data: unknown): Promise<Answer> =>
    test.api.request('POST', '/manage/api', { json: { action, data }, authorization: `Bearer ${key}` });
  const ask = async (action: string, data: unknown = {}): Promise<Answer> => {
    const { permission } = actionNamed(action);
    return post(await keyOf(`only-${permission}`, permission ? [permission] : []), action, data);
  };
  return {
    test,
    ask,
    async askWithout(action, data = {}) {
      const { permission } = actionNamed(action);
      const others = PERMISSIONS.filter((name) => name !== permission);
      return post(await keyOf(`without-${permission}`, others), action, data);
    },
    async run<T>(action: string, data?: unknown) {
      const answer = await ask(action, data);
      expect(answer.status, `${action}: ${answer.text}`).toBe(200);
      const fits = resultOf(action);
      expect(fits(answer.body), `${action}: ${JSON.stringify(fits.errors)} ${answer.text}`).toBe(true);
      // Held against its schema.
      return answer.body as T;
    },
  };
}

async function createKey({ database }: TestApi, name: string, permissions: readonly string[]): Promise<string> {
  const id = name.replaceAll('.', '-');
  await database.pool.query('insert into roles (id, name) values ($1, $1)', [id]);
  await database.pool.query('insert into role_permissions select $1, unnest($2::text[])', [id, permissions]);
  const created = await createApiKey(database.pool, id, id);
  if (!created) throw new Error(`the key ${id} exists already`);
  return created.key;
}

function actionNamed(name: string): Action {
  const action = ACTIONS.find((candidate) => candidate.name === name);
  if (!action) throw new Error(`there is no action ${name}`);
  return action;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
const compiled = new Map<string, ValidateFunction>();

/** Members that the schema does not name are faults too. */
function resultOf(name: string): ValidateFunction {
  const known =
    compiled.get(name) ??
    ajv.compile(z.toJSONSchema(actionNamed(name).result, { io: 'output', unrepresentable: 'any' }));
  compiled.set(name, known);
  return known;
}

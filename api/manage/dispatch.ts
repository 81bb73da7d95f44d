import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import { requirePermission } from '../authenticate.ts';
import type { Context } from '../context.ts';
import { parse, type Route } from '../http/route.ts';
import type { Action, ActionContext } from './action.ts';

/**
 * The dashboard's endpoint (specification 4.6, reference §1.6). The order of checks: who asks, JSON, the action, his
 * permission, the data. A success is the bare result; failures have the envelope of all others.
 */
export function dispatchRoute(actions: readonly Action[]): Route {
  const byName = new Map(actions.map((action) => [action.name, action]));
  return {
    method: 'POST',
    path: '/manage/api',
    summary: 'Run an action of the dashboard; the answer is its bare result (`<action>Result` in the components)',
    access: 'dashboard',
    permission: null,
    status: 200,
    alsoFails: { 404: 'What the data name does not exist' },
    body: requestSchema(actions),
    example: { action: 'getMonitors', data: {} },
    response: z.union(actions.map(({ name, result, summary }) => documented(result, `${name}Result`, summary))),
    answer: async (incoming, context) => {
      const { action: name, data = {} } = await incoming.readJson();
      const action = typeof name === 'string' ? byName.get(name) : undefined;
      if (!action) throw new AppError('BAD_REQUEST', 'Unknown action');
      return run(action, data, withActor(context));
    },
  };
}

async function run(action: Action, given: unknown, context: ActionContext): Promise<unknown> {
  const { actor, log } = context;
  requirePermission(actor, action.permission);
  const data = parse(action.data, given);
  const result = await action.run(data, context);
  // Who changed what, for whoever has to find out later; reading is not told.
  if (!action.permission?.endsWith('.read'))
    log().info({ by: { kind: actor.kind, id: actor.id }, action: action.name, ...action.about?.(data) }, 'action run');
  return result;
}

/** The document's: one schema for each action, told apart by its name. */
function requestSchema(actions: readonly Action[]): z.ZodType {
  const [first, ...others] = actions.map(({ name, data, permission, summary }) =>
    z
      .object({ action: z.literal(name), data: data.safeParse({}).success ? data.optional() : data })
      .meta({ id: `${name}Action`, description: permission === null ? summary : `${summary}. Needs ${permission}.` }),
  );
  if (!first) throw new Error('there are no actions');
  const mapping = Object.fromEntries(actions.map(({ name }) => [name, `#/components/schemas/${name}Action`]));
  return z
    .discriminatedUnion('action', [first, ...others])
    .meta({ discriminator: { propertyName: 'action', mapping } });
}

function documented(schema: z.ZodType, id: string, description: string): z.ZodType {
  return schema.meta({ id, description });
}

/** The toolkit lets nobody through to a route of the dashboard who has not said who he is. */
function withActor(context: Context): ActionContext {
  const { actor } = context;
  if (!actor) throw new Error('an action without an actor');
  return { ...context, actor };
}

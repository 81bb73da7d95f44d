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
    body: requestSchema(actions),
    example: { action: 'getMonitors', data: {} },
    response: z.union(actions.map(({ name, result, summary }) => documented(result, `${name}Result`, summary))),
    answer: async (incoming, context) => {
      const { action: name, data = {} } = await incoming.readJson();
      const action = byName.get(String(name));
      if (!action) throw new AppError('BAD_REQUEST', 'Unknown action');
      const asked = withActor(context);
      requirePermission(asked.actor, action.permission);
      return action.run(parse(action.data, data), asked);
    },
  };
}

function requestSchema(actions: readonly Action[]): z.ZodType {
  const variants = actions.map(({ name, data, permission, summary }) =>
    documented(
      z.object({ action: z.literal(name), data: data.optional() }),
      `${name}Action`,
      permission === null ? summary : `${summary}. Needs ${permission}.`,
    ),
  );
  return z.union(variants);
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

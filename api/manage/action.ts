import type { z } from 'zod';
import type { Permission } from '../../core/permissions.ts';
import type { Actor, Context } from '../context.ts';

/** An action is asked for by somebody. */
export interface ActionContext extends Context {
  actor: Actor;
}

/** What dispatching and documenting need of an action of `POST /manage/api`. */
export interface Action {
  name: string;
  /** Null: everybody who has signed in. */
  permission: Permission | null;
  summary: string;
  data: z.ZodType;
  result: z.ZodType;
  /** What the log says an action was about: ids and names, never a secret. */
  about?(data: unknown): Record<string, unknown>;
  run(data: unknown, context: ActionContext): Promise<unknown>;
}

interface ActionSpec<D, R extends z.ZodType> extends Omit<Action, 'data' | 'result' | 'about' | 'run'> {
  data: z.ZodType<D>;
  result: R;
  about?: (data: D) => Record<string, unknown>;
  run: (data: D, context: ActionContext) => Promise<z.input<R>>;
}

/** Makes an action out of its parts. `run` sees data that `data` has parsed and returns the bare result. */
export function action<D, R extends z.ZodType>(spec: ActionSpec<D, R>): Action {
  // The dispatcher hands over what this spec's own schema returned.
  const own = (data: unknown): D => data as D;
  return {
    ...spec,
    about: (data) => spec.about?.(own(data)) ?? {},
    run: (data, context) => spec.run(own(data), context),
  };
}

import { View, type Tenure } from '../../agent/membership/view.ts';
import { PROBE_KINDS } from '../../core/type-data.ts';

/** The tenure of an agent that can do everything and has been there for ever. */
export function tenureOf(agentId: number, more: Partial<Tenure> = {}): Tenure {
  const session = `session-${agentId}`;
  return { agentId, session, fromMs: 0, untilMs: null, kinds: PROBE_KINDS, lacksAfter: null, ...more };
}

/** An agent's view in which nobody else is there. */
export const ALONE = new View('session-1', [tenureOf(1)]);

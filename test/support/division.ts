import { View, type Tenure } from '../../agent/membership/view.ts';
import { createDueCache, fractionOf, planMinute, type Slot } from '../../agent/schedule-plan.ts';
import type { Definition } from '../../core/definition.ts';
import type { Minute } from '../../core/minute.ts';
import { PROBE_KINDS } from '../../core/type-data.ts';

/** The tenure of an agent that can do everything and has been there for ever. */
export function tenureOf(agentId: number, more: Partial<Tenure> = {}): Tenure {
  const session = `session-${agentId}`;
  return { agentId, session, fromMs: 0, untilMs: null, kinds: PROBE_KINDS, lacksAfter: null, ...more };
}

/** An agent's view in which nobody else is there. */
export const ALONE = new View('session-1', [tenureOf(1)]);

/** The slots of some minutes in region `eu`, whoever is to run them. */
export function slotsOf(definitions: readonly Definition[], minutes: readonly Minute[]): Slot[] {
  const planned = definitions.map((definition) => {
    const fraction = fractionOf(definition.monitorId, 'eu');
    return { definition, fraction, problem: null, sinceGeneration: 1 };
  });
  return minutes.flatMap((minute) => planMinute(planned, minute, createDueCache()));
}

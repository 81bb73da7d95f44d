import type { AgentStatus } from '../../proto/messages.ts';

/** A status message of an agent that has nothing to tell, but for what is given. */
export function agentStatus(given: Partial<AgentStatus> = {}): AgentStatus {
  return {
    definitions: 0,
    epoch: '',
    generation: 0,
    spoolRecords: 0,
    spoolBytes: 0,
    oldestMinute: 0,
    problems: [],
    counters: [],
    assigned: 0,
    clockKnown: 0,
    clockOffsetUs: 0,
    unknownLastHour: [],
    ...given,
  };
}

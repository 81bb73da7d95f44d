import type { AgentState } from '../core/agent-state.ts';
import { MINUTE_SECONDS } from '../core/minute.ts';
import type { AgentStatus, Hello } from '../proto/messages.ts';

const MAX_PROBLEMS = 20;
const MAX_COUNTERS = 200;
const MAX_CAPABILITIES = 50;
const MAX_LINE = 500;
/** Of names: longer ones are no agent's of ours. */
export const MAX_NAME = 60;

/** What an agent says of itself, bounded, and as the database can store it whatever the agent is. */
export function stateOf(
  status: AgentStatus,
  { capabilities, certificateExpires }: Pick<AgentState, 'capabilities' | 'certificateExpires'>,
): AgentState {
  return {
    capabilities,
    certificateExpires,
    monitors: whole(status.definitions),
    assigned: whole(status.assigned),
    epoch: plain(status.epoch, MAX_NAME),
    generation: whole(status.generation),
    spoolResults: whole(status.spoolRecords),
    spoolBytes: whole(status.spoolBytes),
    spoolOldest: status.oldestMinute === 0 ? null : whole(status.oldestMinute) * MINUTE_SECONDS,
    clockOffsetUs:
      status.clockKnown === 0 ? null : Math.sign(status.clockOffsetUs) * whole(Math.abs(status.clockOffsetUs)),
    unknownLastHour: countsOf(status.unknownLastHour),
    counters: countsOf(status.counters),
    problems: status.problems.slice(0, MAX_PROBLEMS).map((line) => plain(line, MAX_LINE)),
  };
}

/** The version an agent names in its hello, as the database can store it. */
export function versionOf({ version }: Hello): string {
  return plain(version, MAX_NAME);
}

/** What an agent says in its hello that its probes can run, as the database can store it. */
export function capabilitiesOf({ capabilities }: Hello): string[] {
  return capabilities.slice(0, MAX_CAPABILITIES).map((name) => plain(name, MAX_NAME));
}

function countsOf(counters: AgentStatus['counters']): Record<string, number> {
  return Object.fromEntries(
    counters.slice(0, MAX_COUNTERS).map(({ name, value }) => [plain(name, MAX_NAME), whole(value)]),
  );
}

function whole(value: number): number {
  return Math.min(Math.trunc(value), Number.MAX_SAFE_INTEGER);
}

/** Text of an agent's, cut to `length`. PostgreSQL stores neither NUL nor half a surrogate pair. */
export function plain(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString().replaceAll('\0', '\u{FFFD}');
}

import type { PublicStatus } from '../../../core/overall-status.ts';
import type { DashboardIncident } from '../parts/resource-types.ts';
import { StateMark, wordOf } from '../parts/state-mark.tsx';

type State = DashboardIncident['state'];

/** The words of a comment's state, as choices. */
export const STATES: readonly (readonly [State, string])[] = [
  ['INVESTIGATING', 'Investigating'],
  ['IDENTIFIED', 'Identified'],
  ['MONITORING', 'Monitoring'],
  ['RESOLVED', 'Resolved'],
];

const STATUS: Record<State, PublicStatus> = {
  INVESTIGATING: 'DOWN',
  IDENTIFIED: 'DEGRADED',
  MONITORING: 'MAINTENANCE',
  RESOLVED: 'UP',
};

/** How far an incident is, and whether it is still open although its state says otherwise, or the reverse. */
export function IncidentMark({ incident: { state, status } }: { incident: DashboardIncident }) {
  const isOdd = (state === 'RESOLVED') === (status === 'OPEN');
  return (
    <StateMark status={STATUS[state]}>
      {wordOf(state)}
      {isOdd && `, ${status.toLowerCase()}`}
    </StateMark>
  );
}

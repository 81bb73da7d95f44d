import type { ComponentChildren } from 'preact';
import type { PointStatus } from '../../../core/outcome.ts';
import { PUBLIC_STATUSES, type PublicStatus } from '../../../core/overall-status.ts';
import { StatusSign, toneOf } from '../../components/status-mark.tsx';

const NAMES: Record<PublicStatus, string> = {
  UP: 'Up',
  DOWN: 'Down',
  DEGRADED: 'Degraded',
  MAINTENANCE: 'Maintenance',
  NO_DATA: 'No data',
};

/** A state as sign and word; `children` are other words for it than the status' own. */
export function StateMark({ status, children }: { status: PublicStatus; children?: ComponentChildren }) {
  return (
    <span class={`mark ${toneOf(status)}`}>
      <StatusSign status={status} />
      <span>{children ?? NAMES[status]}</span>
    </span>
  );
}

/** `IN_CAPITALS` as people write it. */
export function wordOf(name: string): string {
  return name.charAt(0) + name.slice(1).toLowerCase().replaceAll('_', ' ');
}

/** How a monitor can be, as choices. */
export const STATE_CHOICES: readonly (readonly [PublicStatus, string])[] = PUBLIC_STATUSES.map((status) => [
  status,
  NAMES[status],
]);

/** The statuses of a point, as choices. */
export const POINT_CHOICES: readonly (readonly [PointStatus, string])[] = [
  ['UP', NAMES.UP],
  ['DEGRADED', NAMES.DEGRADED],
  ['DOWN', NAMES.DOWN],
];

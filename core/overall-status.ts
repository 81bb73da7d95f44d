import type { Overlay } from './overlay.ts';
import type { PointStatus } from './outcome.ts';

/** What is publicly said of a monitor, and of all of them together (reference §6, "Overall status"). */
export const PUBLIC_STATUSES = ['UP', 'DOWN', 'DEGRADED', 'MAINTENANCE', 'NO_DATA'] as const satisfies readonly (
  PointStatus | Overlay | 'NO_DATA'
)[];
export type PublicStatus = (typeof PUBLIC_STATUSES)[number];

/** From this share of monitors on, a trouble is no longer partial. */
const MOST = 0.75;

/** The worst status, whether only some have it, and its text. Monitors of which nothing is known do not count. */
export function overallStatus(statuses: readonly PublicStatus[]): {
  status: PublicStatus;
  partial: boolean;
  text: string;
} {
  const known = statuses.filter((status) => status !== 'NO_DATA');
  const status = WORST_FIRST.find((candidate) => known.includes(candidate)) ?? 'NO_DATA';
  const partial = known.filter((candidate) => candidate === status).length < MOST * known.length;
  return { status, partial, text: TEXTS[status][partial ? 'some' : 'most'] };
}

const WORST_FIRST = ['DOWN', 'DEGRADED', 'MAINTENANCE', 'UP'] as const;

const TEXTS: Record<PublicStatus, { most: string; some: string }> = {
  UP: always('All Systems Operational'),
  DEGRADED: { most: 'Degraded Performance', some: 'Partial Degraded Performance' },
  DOWN: { most: 'Major System Outage', some: 'Partial System Outage' },
  MAINTENANCE: always('Under Maintenance'),
  NO_DATA: always('No Status Available'),
};

function always(text: string): { most: string; some: string } {
  return { most: text, some: text };
}

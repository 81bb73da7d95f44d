import type { MonitorSeries } from '../../../core/dashboard-monitor.ts';

interface Props {
  steps: readonly MonitorSeries['points'][number][];
  start: number;
  end: number;
  /** Seconds. */
  step: number;
  label: string;
}

/** The worst that a step holds is what is seen of it, and the worse the taller: colours alone say nothing to many eyes. */
const WORST_FIRST = ['down', 'degraded', 'up', 'unknown'] as const;
type Part = (typeof WORST_FIRST)[number];
const HEIGHT: Record<Part, number> = { down: 10, degraded: 8, up: 6, unknown: 3 };

/** A range from its first to its last step, coloured by status: one path a status, however many steps. */
export function StatusStrip({ steps, start, end, step, label }: Props) {
  const paths = new Map<Part, string>();
  for (const one of steps) {
    const part = WORST_FIRST.find((name) => one[name] > 0);
    if (!part) continue;
    const bar = `M${(one.timestamp - start) / step} ${10 - HEIGHT[part]}h1v${HEIGHT[part]}h-1z`;
    paths.set(part, (paths.get(part) ?? '') + bar);
  }
  return (
    <svg
      class="status-strip"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${(end - start) / step} 10`}
      preserveAspectRatio="none"
    >
      {[...paths].map(([part, drawing]) => (
        <path key={part} class={part === 'unknown' ? 'tone-no-data' : `tone-${part}`} d={drawing} />
      ))}
    </svg>
  );
}

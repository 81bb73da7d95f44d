import type { RecentPoint } from '../view.ts';
import type { Words } from '../words.ts';

const HEIGHT = 48;
/** The line never touches the edge: half a stroke would be cut off. */
const INSET = 3;

interface Props {
  points: readonly RecentPoint[];
  /** How far apart two points may lie and still be joined, seconds: a gap is shown as one. */
  joinWithin: number;
  words: Words;
}

/** The latency of the last hours as a small line, a unit a minute, gaps left open. Nothing where there is nothing to draw. */
export function LatencyLine({ points, joinWithin, words }: Props) {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last || first === last) return null;
  const values = points.map(({ latencyMs }) => latencyMs);
  const max = Math.max(...values);
  const min = Math.min(...values);
  const y = (latencyMs: number): number =>
    Math.round(HEIGHT - INSET - (max > 0 ? latencyMs / max : 0) * (HEIGHT - 2 * INSET));
  const path = points
    .map(({ minute, latencyMs }, index) => {
      const before = points[index - 1];
      if (!before || minute - before.minute > joinWithin) return `M${(minute - first.minute) / 60} ${y(latencyMs)}`;
      return `l${(minute - before.minute) / 60} ${y(latencyMs) - y(before.latencyMs)}`;
    })
    .join('');
  const label = words.say('monitor.recent', { min: words.latency(min), max: words.latency(max) });
  return (
    <svg
      class="latency-line"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${(last.minute - first.minute) / 60} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <path d={path} />
    </svg>
  );
}

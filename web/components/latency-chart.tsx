import type { LatencySeries } from '../view.ts';
import type { Words } from '../words.ts';

const WIDTH = 720;
const HEIGHT = 220;
const LEFT = 56;
const BOTTOM = 24;
const TOP = 8;
const RIGHT = 8;
const LINES = 4;
const TICKS = 6;
const DAY_S = 86_400;

/** Latency over time, with its scale: gaps are left open, the scale begins at nothing. */
export function LatencyChart({ series, words }: { series: LatencySeries; words: Words }) {
  const { start, end, points } = series;
  if (points.length === 0) return null;
  const top = niceTop(Math.max(...points.map(({ latencyMs }) => latencyMs)));
  const x = (at: number): number => round(LEFT + ((at - start) / (end - start)) * (WIDTH - LEFT - RIGHT));
  const y = (latencyMs: number): number => round(HEIGHT - BOTTOM - (latencyMs / top) * (HEIGHT - BOTTOM - TOP));
  return (
    <svg class="latency-chart" role="img" aria-label={labelOf(series, words)} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      {[...Array(LINES + 1).keys()].map((line) => {
        const value = (top * line) / LINES;
        return (
          <g key={line}>
            <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(value)} y2={y(value)} />
            <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
              {words.latency(value)}
            </text>
          </g>
        );
      })}
      {[...Array(TICKS).keys()].map((tick) => {
        const at = start + ((tick + 0.5) * (end - start)) / TICKS;
        return (
          <text key={tick} x={x(at)} y={HEIGHT - 6} text-anchor="middle">
            {end - start > 2 * DAY_S ? words.shortDay(at) : words.time(at)}
          </text>
        );
      })}
      <path class="line" d={pathOf(series, x, y)} />
    </svg>
  );
}

function labelOf({ points }: LatencySeries, words: Words): string {
  const values = points.map(({ latencyMs }) => latencyMs);
  return words.say('chart.label', {
    min: words.latency(Math.min(...values)),
    max: words.latency(Math.max(...values)),
  });
}

function pathOf({ points, step }: LatencySeries, x: (at: number) => number, y: (ms: number) => number): string {
  return points
    .map(({ at, latencyMs }, index) => {
      const before = points[index - 1];
      const joined = before !== undefined && at - before.at <= step;
      const alone = !joined && (points[index + 1]?.at ?? Infinity) - at > step;
      // A point that stands alone is a dot: a line of no length with a round end.
      return `${joined ? 'L' : 'M'}${x(at)} ${y(latencyMs)}${alone ? 'h0' : ''}`;
    })
    .join('');
}

/** The next of 1, 2, 4, 6, 8 and their decades: what four lines divide into round numbers. */
function niceTop(max: number): number {
  const decade = 10 ** Math.floor(Math.log10(Math.max(max, 0.01)));
  return ([1, 2, 4, 6, 8, 10].find((factor) => factor * decade >= max) ?? 10) * decade;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

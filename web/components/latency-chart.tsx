import type { LatencySeries } from '../view.ts';
import type { Words } from '../words.ts';

const WIDTH = 720;
const HEIGHT = 240;
/** Where the scale is written; the curve keeps out of it. */
const LEFT = 64;
const BOTTOM = 30;
const TOP = 20;
const LINES = 4;
const HOUR_S = 3600;
const DAY_S = 86_400;
/** How far apart times are written, the first that leaves at most `TICKS`. */
const STEPS = [HOUR_S, 2 * HOUR_S, 4 * HOUR_S, DAY_S, 5 * DAY_S, 15 * DAY_S];
const TICKS = 7;

/** Latency over time, with its scale: gaps are left open, the scale begins at nothing. */
export function LatencyChart({ series, words }: { series: LatencySeries; words: Words }) {
  const { start, end, points } = series;
  if (points.length === 0) return null;
  const top = niceTop(Math.max(...points.map(({ latencyMs }) => latencyMs)));
  const x = (at: number): number => round(LEFT + ((at - start) / (end - start)) * (WIDTH - LEFT));
  const y = (latencyMs: number): number => round(HEIGHT - BOTTOM - (latencyMs / top) * (HEIGHT - BOTTOM - TOP));
  const { step, ticks } = ticksOf(series, words);
  return (
    <svg class="latency-chart" role="img" aria-label={labelOf(series, words)} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      {[...Array(LINES + 1).keys()].map((line) => (
        <path key={line} class="grid" d={`M0 ${y((top * line) / LINES)}H${WIDTH}`} />
      ))}
      <path class="line" d={pathOf(series, x, y)} />
      {[...Array(LINES).keys()].map((line) => (
        <text key={line} x="0" y={y((top * (line + 1)) / LINES) - 5}>
          {words.latency((top * (line + 1)) / LINES)}
        </text>
      ))}
      {ticks.map((at) => (
        <text key={at} x={x(at)} y={HEIGHT - 6} text-anchor="middle">
          {step < DAY_S ? words.time(at) : words.shortDay(at)}
        </text>
      ))}
    </svg>
  );
}

/** Round times of the visitor's clock, none so near to an end that it would be cut off. */
function ticksOf({ start, end }: LatencySeries, { zone }: Words): { step: number; ticks: number[] } {
  const step = STEPS.find((one) => (end - start) / one <= TICKS) ?? DAY_S;
  const margin = (end - start) / 20;
  const first = Math.ceil(zone.toLocal(start + margin) / step) * step;
  const count = Math.max(0, Math.floor((zone.toLocal(end - margin) - first) / step) + 1);
  return { step, ticks: Array.from({ length: count }, (_, at) => zone.toInstant(first + at * step)) };
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

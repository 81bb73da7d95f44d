import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { MonitorSeries } from '../../../core/dashboard-monitor.ts';
import { latencyOf } from '../parts/form.ts';
import { lookOf } from './series-looks.ts';

interface Props {
  series: MonitorSeries;
  start: number;
  end: number;
}

type Step = MonitorSeries['points'][number];

const DAY_S = 86_400;
const HEIGHT = 260;
const AXIS_WIDTH = 70;
/** Of a time below the chart, with a space. */
const LABEL_WIDTH = 80;
const GRID = { stroke: 'rgb(128 128 128 / 20%)', width: 1 };
const DARK = window.matchMedia('(prefers-color-scheme: dark)');

/** Latencies over time: a thick line for the consolidated points, one for each region. The table beside says it in numbers. */
export function LatencyChart({ series, start, end }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let plot: uPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      plot = new uPlot(optionsOf(series, element.clientWidth, { start, end }), columnsOf(series), element);
    };
    draw();
    const observer = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    DARK.addEventListener('change', draw);
    return () => {
      DARK.removeEventListener('change', draw);
      observer.disconnect();
      plot?.destroy();
    };
  }, [series]);
  return (
    <figure class="chart">
      <figcaption>Latency</figcaption>
      <div ref={box} />
    </figure>
  );
}

function optionsOf(
  { regions }: MonitorSeries,
  width: number,
  { start, end }: Pick<Props, 'start' | 'end'>,
): uPlot.Options {
  // A canvas knows no style sheet.
  const ink = getComputedStyle(document.documentElement).color;
  const axis = { stroke: ink, grid: GRID, ticks: GRID };
  return {
    width,
    height: HEIGHT,
    scales: { x: { range: [start, end] }, y: { range: (_plot, _min, max) => [0, (max || 1) * 1.1] } },
    axes: [
      { ...axis, values: timesOf(end - start), space: LABEL_WIDTH },
      { ...axis, values: (_plot, ticks) => ticks.map((tick) => `${tick} ms`), size: AXIS_WIDTH },
    ],
    series: [
      {},
      { label: 'all regions', stroke: ink, width: 2, value: shown },
      ...regions.map(({ region }, index) => ({ label: region, ...lookOf(index), width: 1.5, value: shown })),
    ],
  };
}

function shown(_plot: uPlot, value: number | null): string {
  return latencyOf(value);
}

/** Times of the day where the range has few days, else the days. */
function timesOf(seconds: number): uPlot.Axis.Values {
  const isLong = seconds > 2 * DAY_S;
  const format = new Intl.DateTimeFormat(
    undefined,
    isLong ? { day: 'numeric', month: 'short' } : { hour: 'numeric', minute: '2-digit' },
  );
  return (_plot, ticks) => ticks.map((tick) => format.format(tick * 1000));
}

/** One column of times, one of latencies a series; a step without a point is a gap. */
function columnsOf({ points, regions, step_seconds: step }: MonitorSeries): uPlot.AlignedData {
  const all = [points, ...regions.map((region) => region.points)];
  const first = Math.min(...all.flatMap(([one]) => (one ? [one.timestamp] : [])));
  const last = Math.max(...all.flatMap((steps) => steps.at(-1)?.timestamp ?? []));
  const times = Array.from({ length: (last - first) / step + 1 }, (_, at) => first + at * step);
  return [times, ...all.map((steps) => columnOf(steps, times))];
}

function columnOf(steps: readonly Step[], times: readonly number[]): (number | null)[] {
  const known = new Map(steps.map(({ timestamp, latency }) => [timestamp, latency]));
  return times.map((time) => known.get(time) ?? null);
}

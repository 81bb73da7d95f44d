import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { act } from '../client.ts';
import { Field } from '../parts/field.tsx';
import { localOf, secondsOf, valuesOf } from '../parts/form.ts';
import { Fault, Shown } from '../parts/notice.tsx';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

interface Step {
  timestamp: number;
  latency: number | null;
}

interface Data {
  step_seconds: number;
  points: Step[];
  regions: { region: string; points: Step[] }[];
}

const SPANS = [
  ['An hour', 3600],
  ['A day', 86_400],
  ['A week', 7 * 86_400],
  ['A month', 30 * 86_400],
] as const;
const STROKES = ['#1f5fbf', '#b86e00', '#1a8754', '#a23bb8', '#d03438'];
const CHART_HEIGHT = 260;

/** What was measured of a monitor, altogether and by region, and the writing of a range by hand. */
export function MonitorData({ tag }: { tag: string }) {
  const { may } = useSession();
  const [seconds, setSeconds] = useState<number>(SPANS[1][1]);
  const [end, setEnd] = useState(() => Math.floor(Date.now() / 1000));
  const data = useAction<Data>('getMonitorData', { tag, start_ts: end - seconds, end_ts: end });
  return (
    <section class="card stack">
      <div class="title-row">
        <h2>Latency by region</h2>
        <label>
          Range{' '}
          <select value={seconds} onChange={(event) => setSeconds(Number(event.currentTarget.value))}>
            {SPANS.map(([name, span]) => (
              <option key={span} value={span}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Shown of={data}>
        {(measured) =>
          measured.points.length === 0 ? (
            <p class="empty">Nothing was measured in this range.</p>
          ) : (
            <Chart data={measured} />
          )
        }
      </Shown>
      {may('monitors.write') && <Overwrite tag={tag} onDone={() => setEnd(Math.floor(Date.now() / 1000))} />}
    </section>
  );
}

function Chart({ data }: { data: Data }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const plot = new uPlot(optionsOf(data, element.clientWidth), columnsOf(data), element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: CHART_HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data]);
  return <div ref={box} class="chart" />;
}

function optionsOf({ regions }: Data, width: number): uPlot.Options {
  const ink = getComputedStyle(document.documentElement).color;
  const names = ['all regions', ...regions.map(({ region }) => region)];
  return {
    width,
    height: CHART_HEIGHT,
    axes: [{ stroke: ink }, { stroke: ink, values: (_plot, ticks) => ticks.map((tick) => `${tick} ms`), size: 70 }],
    series: [
      {},
      ...names.map((label, index) => ({ label, stroke: STROKES[index % STROKES.length], width: index === 0 ? 2 : 1 })),
    ],
  };
}

/** One column of times, one of latencies a series; a step without a point is a gap. */
function columnsOf({ points, regions, step_seconds: step }: Data): uPlot.AlignedData {
  const first = points[0]?.timestamp ?? 0;
  const last = points.at(-1)?.timestamp ?? first;
  const times = Array.from({ length: (last - first) / step + 1 }, (_, at) => first + at * step);
  const column = (steps: readonly Step[]): (number | null)[] => {
    const known = new Map(steps.map(({ timestamp, latency }) => [timestamp, latency]));
    return times.map((time) => known.get(time) ?? null);
  };
  return [times, column(points), ...regions.map((region) => column(region.points))];
}

function Overwrite({ tag, onDone }: { tag: string; onDone: () => void }) {
  const { isBusy, error, run } = useChange();
  const [written, setWritten] = useState<number>();
  const submit = (event: SubmitEvent): void => {
    const { start, end, newStatus, latency } = valuesOf(event);
    const data = {
      monitor_tag: tag,
      start: secondsOf(start),
      end: secondsOf(end),
      newStatus,
      latency: Number(latency),
    };
    void run(async () => {
      setWritten((await act<{ updated_count: number }>('updateMonitoringData', data)).updated_count);
      onDone();
    });
  };
  const now = Math.floor(Date.now() / 1000);
  return (
    <details>
      <summary>Write a range by hand</summary>
      <form class="grid-form" onSubmit={submit}>
        <Field label="From" name="start" error={error}>
          {(control) => <input {...control} type="datetime-local" required defaultValue={localOf(now - 3600)} />}
        </Field>
        <Field label="Until" name="end" error={error} hint="This minute is not written.">
          {(control) => <input {...control} type="datetime-local" required defaultValue={localOf(now)} />}
        </Field>
        <Field label="Status" name="newStatus" error={error}>
          {(control) => (
            <select {...control}>
              <option>UP</option>
              <option>DEGRADED</option>
              <option>DOWN</option>
            </select>
          )}
        </Field>
        <Field label="Latency, ms" name="latency" error={error}>
          {(control) => <input {...control} type="number" min={0} step="any" required defaultValue={0} />}
        </Field>
        <button type="submit" disabled={isBusy}>
          {isBusy ? 'Writing …' : 'Write every minute of it'}
        </button>
        <p role="status">{written !== undefined && `${written} minutes written.`}</p>
        <Fault error={error} />
      </form>
    </details>
  );
}

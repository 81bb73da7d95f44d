import { useState } from 'preact/hooks';
import type { MonitorSeries } from '../../../core/dashboard-monitor.ts';
import { Choice } from '../parts/field.tsx';
import { Shown } from '../parts/notice.tsx';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { LatencyChart } from './latency-chart.tsx';
import { Minutes } from './minutes.tsx';
import { RegionTable } from './region-table.tsx';
import { WriteRange } from './write-range.tsx';

const SPANS = [
  ['3600', 'The last hour'],
  ['86400', 'The last day'],
  ['604800', 'The last 7 days'],
  ['2592000', 'The last 30 days'],
  ['7776000', 'The last 90 days'],
] as const;

/** What was measured of a monitor in a range, altogether and by region, and the writing of it by hand. */
export function Measured({ tag }: { tag: string }) {
  const { may } = useSession();
  const [seconds, setSeconds] = useState<string>(SPANS[1][0]);
  const [end, setEnd] = useState(now);
  const range = { start_ts: end - Number(seconds), end_ts: end };
  const series = useAction<MonitorSeries>('getMonitorData', { tag, ...range });
  const refresh = (): void => setEnd(now());
  return (
    <>
      <section class="card stack" aria-label="Measured">
        <div class="title-row">
          <h2>Measured</h2>
          <div class="host-row">
            <Choice label="Range" value={seconds} options={SPANS} onChange={setSeconds} />
            <button type="button" class="quiet" onClick={refresh}>
              Refresh
            </button>
          </div>
        </div>
        <Shown of={series}>
          {(measured) =>
            measured.points.length === 0 && measured.regions.length === 0 ? (
              <p class="empty">
                Nothing was measured in this range. A monitor is measured once an agent is connected in one of its
                regions.
              </p>
            ) : (
              <>
                <RegionTable series={measured} start={range.start_ts} end={range.end_ts} />
                <LatencyChart series={measured} start={range.start_ts} end={range.end_ts} />
              </>
            )
          }
        </Shown>
      </section>
      <Minutes tag={tag} start={range.start_ts} end={range.end_ts} />
      {may('monitors.write') && <WriteRange tag={tag} onDone={refresh} />}
    </>
  );
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

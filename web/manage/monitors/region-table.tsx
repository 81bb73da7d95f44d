import type { MonitorSeries } from '../../../core/dashboard-monitor.ts';
import { briefMomentOf, durationOf, latencyOf } from '../parts/form.ts';
import { lookOf, type Look } from './series-looks.ts';
import { StatusStrip } from './status-strip.tsx';

interface Props {
  series: MonitorSeries;
  start: number;
  end: number;
}

type Step = MonitorSeries['points'][number];

interface Row {
  name: string;
  look: Look;
  steps: readonly Step[];
}

/** What each region saw over the range, in a strip and in numbers; above them what came of it. */
export function RegionTable({ series: { points, regions, step_seconds: step }, start, end }: Props) {
  const rows: Row[] = [
    { name: 'All regions', look: { stroke: 'currentColor', dash: [] }, steps: points },
    ...regions.map(({ region, points: steps }, index) => ({ name: region, look: lookOf(index), steps })),
  ];
  return (
    <div class="table-box" tabindex={0} role="group" aria-label="Status by region">
      <table class="region-table">
        <thead>
          <tr>
            <th scope="col">Region</th>
            <th scope="col" class="strip-column">
              <span class="axis">
                <span>{briefMomentOf(start)}</span>
                <span>{briefMomentOf(end)}</span>
              </span>
            </th>
            {['Up', 'Degraded', 'Down', 'Unknown', 'Mean latency'].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <RegionRow key={row.name} row={row} {...{ start, end, step }} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RegionRow({
  row: { name, look, steps },
  start,
  end,
  step,
}: {
  row: Row;
  start: number;
  end: number;
  step: number;
}) {
  const total = (part: 'up' | 'degraded' | 'down' | 'unknown'): number =>
    steps.reduce((sum, one) => sum + one[part], 0);
  const known = total('up') + total('degraded') + total('down');
  const latency = meanOf(steps);
  return (
    <tr>
      <th scope="row">
        <svg class="swatch" viewBox="0 0 24 4" aria-hidden="true">
          <line
            x1="0"
            y1="2"
            x2="24"
            y2="2"
            stroke={look.stroke}
            stroke-width="3"
            stroke-dasharray={look.dash.join(' ')}
          />
        </svg>
        {name}
      </th>
      <td class="strip-column">
        <StatusStrip {...{ steps, start, end, step }} label={`Status seen by ${name.toLowerCase()}`} />
      </td>
      <td class="number">{known === 0 ? '–' : `${Math.floor((total('up') / known) * 10_000) / 100} %`}</td>
      <td class="number">{durationOf(total('degraded'))}</td>
      <td class="number">{durationOf(total('down'))}</td>
      <td class="number">{durationOf(total('unknown'))}</td>
      <td class="number">{latencyOf(latency)}</td>
    </tr>
  );
}

/** The mean of the steps' means, each as often as it answered. */
function meanOf(steps: readonly Step[]): number | null {
  let [sum, count] = [0, 0];
  for (const { latency, up, degraded } of steps) {
    if (latency === null) continue;
    const weight = Math.max(1, up + degraded);
    sum += latency * weight;
    count += weight;
  }
  return count === 0 ? null : sum / count;
}

import type { OverlayWindow } from '../../core/overlay.ts';
import { reportedStatuses } from '../../core/reported-status.ts';

export interface PointRow {
  id: number;
  minute: number;
  status: number;
  latency_us: number;
}

/** What each minute of a monitor is, by minute: every one looked at by itself. `rows` are all its points, ascending. */
export function namesOf(
  rows: readonly PointRow[],
  windows: readonly OverlayWindow[],
  threshold: number,
): Map<number, Name> {
  const samples = rows.filter(({ minute }) => over(minute, windows) === undefined);
  const runs = samples.map(({ status }) => ({ status: STATUS[statusOf(status)], count: 1 }));
  const said = reportedStatuses(runs, threshold);
  const measured = samples.map(({ minute }, at): [number, Name] => [minute, NAME[said[at] ?? 'UP']]);
  const covered = rows.map(({ minute }): [number, Name] => [minute, over(minute, windows) ?? 'up']);
  return new Map([...covered, ...measured]);
}

const STATUS = { up: 'UP', down: 'DOWN', degraded: 'DEGRADED' } as const;
const NAME = { UP: 'up', DOWN: 'down', DEGRADED: 'degraded' } as const;

export type Name = 'up' | 'down' | 'degraded' | 'maintenance';

function statusOf(code: number): keyof typeof STATUS {
  return code === 2 ? 'up' : code === 3 ? 'degraded' : 'down';
}

function over(minute: number, windows: readonly OverlayWindow[]): Name | undefined {
  const here = windows.filter(({ from, to, impact }) => from <= minute && minute < to && impact !== 'UP');
  const planned = here.filter(({ source }) => source === 'maintenance');
  const impacts = (planned.length > 0 ? planned : here).map(({ impact }) => impact.toLowerCase());
  return (['down', 'maintenance', 'degraded'] as const).find((name) => impacts.includes(name));
}

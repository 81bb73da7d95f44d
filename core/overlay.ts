import type { MinuteRange } from './minute.ts';
import type { Impact } from './monitor-reference.ts';

/** What lies over measured points when they are read (reference §12, "Incidents, maintenances, overlays"). */

/** The status that points have under a window; UP lays nothing over them. */
export type Overlay = Exclude<Impact, 'UP'>;

/** What an incident or a maintenance says of a monitor in a half-open window; an open one ends at infinity. */
export interface OverlayWindow {
  source: 'incident' | 'maintenance';
  impact: Impact;
  from: number;
  to: number;
}

/** A part of a range with one answer throughout; null: nothing lies over it. */
export interface OverlaySlice extends MinuteRange {
  overlay: Overlay | null;
}

/**
 * Cuts a range where windows begin and end: slices in order, without gaps. Within one source DOWN goes before
 * MAINTENANCE and that before DEGRADED; any of them that a maintenance gives goes before an incident's.
 */
export function overlaySlices(range: MinuteRange, windows: readonly OverlayWindow[]): OverlaySlice[] {
  const slices: OverlaySlice[] = [];
  const open = new Map<string, number>();
  let from = range.from;
  for (const edge of [...edgesOf(range, windows), { at: range.to, key: '', change: 0 }]) {
    if (edge.at > from) addSlice(slices, { from, to: edge.at, overlay: strongest(open) });
    open.set(edge.key, (open.get(edge.key) ?? 0) + edge.change);
    from = edge.at;
  }
  return slices;
}

/** What lies over one minute; null: nothing. */
export function overlayAt(minute: number, windows: readonly OverlayWindow[]): Overlay | null {
  return overlaySlices({ from: minute, to: minute + 1 }, windows)[0]?.overlay ?? null;
}

interface Edge {
  at: number;
  key: string;
  change: number;
}

/** The beginnings and ends of windows that touch the range, cut to it, ascending. */
function edgesOf(range: MinuteRange, windows: readonly OverlayWindow[]): Edge[] {
  return windows
    .flatMap(({ source, impact, from, to }) => {
      const [begin, end] = [Math.max(from, range.from), Math.min(to, range.to)];
      const key = `${source} ${impact}`;
      return begin < end
        ? [
            { at: begin, key, change: 1 },
            { at: end, key, change: -1 },
          ]
        : [];
    })
    .sort((a, b) => a.at - b.at);
}

const PRECEDENCE = (['maintenance', 'incident'] as const).flatMap((source) =>
  (['DOWN', 'MAINTENANCE', 'DEGRADED'] as const).map((overlay) => ({ key: `${source} ${overlay}`, overlay })),
);

function strongest(open: ReadonlyMap<string, number>): Overlay | null {
  return PRECEDENCE.find(({ key }) => (open.get(key) ?? 0) > 0)?.overlay ?? null;
}

/** Neighbours with one answer are one slice. */
function addSlice(slices: OverlaySlice[], slice: OverlaySlice): void {
  const last = slices.at(-1);
  if (last?.overlay === slice.overlay && last.to === slice.from) last.to = slice.to;
  else slices.push(slice);
}

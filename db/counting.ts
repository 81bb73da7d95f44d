import type { Overlay, OverlayWindow } from '../core/overlay.ts';
import type { OpenBook } from './count-book.ts';
import type { MonitorRow } from './monitors.ts';
import type { RollState, Slice } from './slice-counts.ts';

/** What counting minutes is done with. */
export interface Counting {
  /** What is said of the monitors in windows that touch the range. */
  windows: ReadonlyMap<number, readonly OverlayWindow[]>;
  state: RollState;
  /** Without: everything is read. */
  book: OpenBook | null;
}

/** What is needed of a monitor to count its minutes. */
export type CountedMonitor = Pick<MonitorRow, 'id' | 'confirmation_threshold'>;

/** A part of a period with one answer throughout. */
export interface PeriodSlice extends Slice {
  /** The number of the period. */
  period: number;
  /** What lies over it. */
  overlay: Overlay | null;
}

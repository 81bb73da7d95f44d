import fc from 'fast-check';
import { expect, it } from 'vitest';
import { overlayAt, overlaySlices, type Overlay, type OverlayWindow } from '../../../core/overlay.ts';

const window = (source: OverlayWindow['source'], impact: OverlayWindow['impact'], from = 0, to = Infinity) =>
  ({ source, impact, from, to }) satisfies OverlayWindow;

it.each<[string, OverlayWindow[], Overlay | null]>([
  ['nothing', [], null],
  ['an impact of UP', [window('incident', 'UP')], null],
  ['DOWN of an incident', [window('incident', 'DOWN')], 'DOWN'],
  ['DEGRADED of an incident', [window('incident', 'DEGRADED')], 'DEGRADED'],
  ['the worst of two incidents', [window('incident', 'DEGRADED'), window('incident', 'DOWN')], 'DOWN'],
  ['MAINTENANCE over DEGRADED', [window('incident', 'DEGRADED'), window('incident', 'MAINTENANCE')], 'MAINTENANCE'],
  ['DOWN over MAINTENANCE', [window('maintenance', 'MAINTENANCE'), window('maintenance', 'DOWN')], 'DOWN'],
  ['a maintenance over a worse incident', [window('incident', 'DOWN'), window('maintenance', 'DEGRADED')], 'DEGRADED'],
  ['an incident under a maintenance of UP', [window('incident', 'DOWN'), window('maintenance', 'UP')], 'DOWN'],
])('over a minute with windows lies %s', (_name, windows, expected) => {
  expect(overlayAt(60, windows)).toBe(expected);
  expect(overlayAt(60, windows.toReversed())).toBe(expected);
});

it('windows hold their first minute and not their last', () => {
  const windows = [window('incident', 'DOWN', 60, 180)];
  expect([0, 60, 120, 180].map((minute) => overlayAt(minute, windows))).toEqual([null, 'DOWN', 'DOWN', null]);
});

it('a range is cut where the answer changes and nowhere else', () => {
  const windows = [
    window('incident', 'DOWN', -600, 120),
    window('incident', 'DOWN', 120, 180),
    window('maintenance', 'MAINTENANCE', 240, Infinity),
    window('incident', 'DOWN', 300, 240),
  ];
  expect(overlaySlices({ from: 0, to: 600 }, windows)).toEqual([
    { from: 0, to: 180, overlay: 'DOWN' },
    { from: 180, to: 240, overlay: null },
    { from: 240, to: 600, overlay: 'MAINTENANCE' },
  ]);
  expect(overlaySlices({ from: 60, to: 60 }, windows)).toEqual([]);
});

it('the slices of a range say of each minute what the minute alone says', () => {
  const drawn = fc.record({
    source: fc.constantFrom('incident' as const, 'maintenance' as const),
    impact: fc.constantFrom('UP' as const, 'DOWN' as const, 'DEGRADED' as const, 'MAINTENANCE' as const),
    from: fc.integer({ min: -5, max: 25 }).map((minute) => minute * 60),
    to: fc.oneof(
      fc.constant(Infinity),
      fc.integer({ min: -5, max: 25 }).map((minute) => minute * 60),
    ),
  });
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 8 }), (windows) => {
      const slices = overlaySlices({ from: 0, to: 1200 }, windows);
      expect(slices.reduce((at, { from, to }) => (from === at && to > from ? to : NaN), 0)).toBe(1200);
      for (let minute = 0; minute < 1200; minute += 60) {
        const slice = slices.find(({ from, to }) => minute >= from && minute < to);
        expect(slice?.overlay).toBe(naive(minute, windows));
      }
    }),
  );
});

function naive(minute: number, windows: readonly OverlayWindow[]): Overlay | null {
  const here = windows.filter(({ from, to }) => minute >= from && minute < to);
  for (const source of ['maintenance', 'incident']) {
    const impacts = here.filter((window) => window.source === source).map(({ impact }) => impact);
    const found = (['DOWN', 'MAINTENANCE', 'DEGRADED'] as const).find((impact) => impacts.includes(impact));
    if (found) return found;
  }
  return null;
}

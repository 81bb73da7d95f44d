import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createServiceClock, middleOf, type ClockSample, type LearntOffset } from '../../../agent/service-clock.ts';

const TRUE_OFFSET_MS = 1_800_000_000_000;

function machine(wallErrorMs = 0) {
  const state = { monotonicMs: 5000, wallErrorMs };
  const time = {
    bootId: 'boot',
    monotonicMs: () => state.monotonicMs,
    wallMs: () => state.monotonicMs + TRUE_OFFSET_MS + state.wallErrorMs,
  };
  return { state, time };
}

/** A reading taken now, the collector's answer having taken `thereMs` and `backMs`. */
function reading(state: { monotonicMs: number }, thereMs: number, backMs: number, errorMs = 0): ClockSample {
  const sentMs = state.monotonicMs;
  const clockUs = (sentMs + thereMs + TRUE_OFFSET_MS + errorMs) * 1000;
  state.monotonicMs += thereMs + backMs;
  return { sentMs, receivedMs: state.monotonicMs, clockUs };
}

describe('the service clock', () => {
  it('follows the wall clock until the first contact', () => {
    const { state, time } = machine(3_600_000);
    const clock = createServiceClock(time, null);
    expect(clock.known).toBe(false);
    expect(clock.nowMs()).toBe(time.wallMs());
    state.wallErrorMs = 0;
    expect(clock.nowMs()).toBe(time.wallMs());
  });

  it('is stepped once, at the first contact, and says by how much', () => {
    const { state, time } = machine(3_600_000);
    const steps: number[] = [];
    const clock = createServiceClock(time, null, (stepMs) => steps.push(stepMs));
    clock.learn(reading(state, 10, 10));
    clock.learn(reading(state, 10, 10));
    expect(steps).toEqual([-3_600_000]);
    expect(clock.nowMs()).toBeCloseTo(state.monotonicMs + TRUE_OFFSET_MS, 6);
  });

  it('does not care for the wall clock after that', () => {
    const { state, time } = machine();
    const clock = createServiceClock(time, null);
    clock.learn(reading(state, 1, 1));
    const before = clock.nowMs();
    state.wallErrorMs = -3_600_000;
    expect(clock.nowMs()).toBe(before);
  });

  it('goes on with what was learnt earlier in this boot', () => {
    const { state, time } = machine(3_600_000);
    const first = createServiceClock(time, null);
    first.learn(reading(state, 1, 1));
    const clock = createServiceClock(time, first.learnt());
    expect(clock.known).toBe(true);
    expect(clock.nowMs()).toBeCloseTo(state.monotonicMs + TRUE_OFFSET_MS, 6);
  });

  it('always has the true offset within what it learnt, however slow and lopsided the answers are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5000), fc.nat(5000), fc.nat(100_000)), { minLength: 1, maxLength: 30 }),
        (answers) => {
          const { state, time } = machine();
          const clock = createServiceClock(time, null);
          let best = Infinity;
          for (const [thereMs, backMs, pauseMs] of answers) {
            clock.learn(reading(state, thereMs, backMs));
            state.monotonicMs += pauseMs;
            best = Math.min(best, thereMs + backMs);
            // Every clock in this test has learnt something.
            const { loMs, hiMs } = clock.learnt() as LearntOffset;
            expect(loMs).toBeLessThanOrEqual(TRUE_OFFSET_MS);
            expect(hiMs).toBeGreaterThanOrEqual(TRUE_OFFSET_MS);
          }
          // Never worse than its best answer, but for the drift that may have come since.
          expect(Math.abs(clock.offsetMs() - TRUE_OFFSET_MS)).toBeLessThanOrEqual(best / 2 + 2 + 30 * 100_000 * 200e-6);
        },
      ),
    );
  });

  it('never goes back by a little', () => {
    const { state, time } = machine();
    const clock = createServiceClock(time, null);
    clock.learn(reading(state, 800, 0));
    const ahead = clock.nowMs();
    clock.learn(reading(state, 0, 1));
    let last = ahead;
    for (let i = 0; i < 1000; i += 1) {
      state.monotonicMs += 1;
      expect(clock.nowMs()).toBeGreaterThanOrEqual(last);
      last = clock.nowMs();
    }
    expect(clock.nowMs()).toBeCloseTo(state.monotonicMs + TRUE_OFFSET_MS, -1);
  });

  it('believes a clock that contradicts it by an hour only when it says so again and again', () => {
    const { state, time } = machine();
    const clock = createServiceClock(time, null);
    clock.learn(reading(state, 1, 1));
    clock.learn(reading(state, 1, 1, 3_600_000));
    clock.learn(reading(state, 1, 1, 3_600_000));
    expect(clock.offsetMs()).toBeCloseTo(TRUE_OFFSET_MS, -1);
    clock.learn(reading(state, 1, 1));
    clock.learn(reading(state, 1, 1, 3_600_000));
    clock.learn(reading(state, 1, 1, 3_600_000));
    expect(clock.offsetMs()).toBeCloseTo(TRUE_OFFSET_MS, -1);
    clock.learn(reading(state, 1, 1, 3_600_000));
    expect(clock.offsetMs()).toBeCloseTo(TRUE_OFFSET_MS + 3_600_000, -1);
  });

  it('follows a slow drift of the machine’s clock', () => {
    const { state, time } = machine();
    const clock = createServiceClock(time, null);
    for (let driftMs = 0; driftMs < 500; driftMs += 5) {
      clock.learn(reading(state, 1, 1, driftMs));
      state.monotonicMs += 60_000;
    }
    const learnt = clock.learnt();
    expect(learnt === null ? 0 : middleOf(learnt) - TRUE_OFFSET_MS).toBeGreaterThan(470);
  });
});

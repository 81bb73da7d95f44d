import { describe, expect, it } from 'vitest';
import { UplinkWindow } from '../../../agent/uplink-window.ts';

const MAX = 16;

/** Sends as much of a backlog as there is room for; returns the batches' names. */
function fill(window: UplinkWindow, nowMs: number): number[] {
  const batches: number[] = [];
  while (window.hasBacklogRoom(MAX)) batches.push(window.add(null, true, nowMs));
  return batches;
}

describe('the window of an uplink', () => {
  it('gives the backlog all places but one while it is answered soon', () => {
    const window = new UplinkWindow();
    let nowMs = 0;
    for (let round = 0; round < 5; round += 1) {
      const batches = fill(window, nowMs);
      nowMs += 100;
      for (const batch of batches) window.acknowledge(batch, nowMs);
    }
    expect(fill(window, nowMs)).toHaveLength(MAX - 1);
  });

  it('gives the backlog one place of a collector that is slow, and more again when it is not', () => {
    const window = new UplinkWindow();
    let nowMs = 0;
    const roundsOf = (answerMs: number): number => {
      for (let round = 0; round < 6; round += 1) {
        const batches = fill(window, nowMs);
        nowMs += answerMs;
        for (const batch of batches) window.acknowledge(batch, nowMs);
      }
      const batches = fill(window, nowMs);
      for (const batch of batches) window.acknowledge(batch, nowMs);
      return batches.length;
    };
    expect(roundsOf(100)).toBe(MAX - 1);
    expect(roundsOf(5000)).toBe(1);
    expect(roundsOf(100)).toBe(MAX - 1);
  });

  it('gives up on a collector that acknowledges nothing for a minute, not on one that is only slow', () => {
    const window = new UplinkWindow();
    const first = window.add(null, false, 0);
    window.add(null, false, 0);
    expect(window.isForgotten(60_000)).toBe(false);
    expect(window.isForgotten(60_001)).toBe(true);
    window.acknowledge(first, 60_000);
    expect(window.isForgotten(119_000)).toBe(false);
    expect(window.isForgotten(120_001)).toBe(true);
  });

  it('gives up on a batch that is passed over for ten minutes', () => {
    const window = new UplinkWindow();
    window.add(null, false, 0);
    for (let nowMs = 0; nowMs <= 600_000; nowMs += 30_000) {
      expect(window.isForgotten(nowMs)).toBe(false);
      window.acknowledge(window.add(null, false, nowMs), nowMs);
    }
    expect(window.isForgotten(600_001)).toBe(true);
  });

  it('expects nothing where nothing is under way', () => {
    const window = new UplinkWindow();
    expect(window.isForgotten(1e9)).toBe(false);
    expect(window.acknowledge(7, 0)).toBeUndefined();
    window.add(null, true, 0);
    window.clear();
    expect(window.size).toBe(0);
    expect(window.isForgotten(1e9)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { createAwaitedAnswers } from '../../../collector/awaited-answers.ts';
import type { Status } from '../../../core/outcome.ts';
import { ResultBlock } from '../../../core/result-block.ts';
import { resultOf } from '../../support/monitoring-fixture.ts';

const answer = (regionId: number, minute = 60, status: Status = 'UP'): ResultBlock =>
  ResultBlock.of([resultOf({ monitorId: 1, minute, regionId, agentId: regionId, status })]);

describe('awaited answers', () => {
  it('are those of the regions that stream here and have not answered', () => {
    const awaited = createAwaitedAnswers();
    awaited.join(1);
    const leave = awaited.join(2);
    awaited.note(answer(1));
    expect(awaited.awaits(1, 60)).toBe(true);
    awaited.note(answer(2));
    expect(awaited.awaits(1, 60)).toBe(false);
    awaited.note(answer(1, 120));
    expect(awaited.awaits(1, 120)).toBe(true);
    leave();
    expect(awaited.awaits(1, 120)).toBe(false);
  });

  it('go on while one of two agents of a region still streams', () => {
    const awaited = createAwaitedAnswers();
    awaited.join(1);
    const leave = awaited.join(2);
    awaited.join(2);
    leave();
    awaited.note(answer(1));
    expect(awaited.awaits(1, 60)).toBe(true);
  });

  it('are not settled by an agent that could not measure', () => {
    const awaited = createAwaitedAnswers();
    awaited.join(1);
    awaited.note(answer(1, 60, 'UNKNOWN'));
    expect(awaited.awaits(1, 60)).toBe(true);
  });

  it('are none for a monitor that does not run everywhere, which the database knows better', () => {
    const awaited = createAwaitedAnswers();
    awaited.join(1);
    awaited.join(2);
    awaited.neverFor(1);
    awaited.note(answer(1));
    expect(awaited.awaits(1, 60)).toBe(false);
  });

  it('are remembered for the newest two minutes, and none for older ones', () => {
    const awaited = createAwaitedAnswers();
    awaited.join(1);
    awaited.join(2);
    for (const minute of [120, 180, 240, 60]) awaited.note(answer(1, minute));
    expect([60, 120, 180, 240].map((minute) => awaited.awaits(1, minute))).toEqual([false, false, true, true]);
  });

  it('are no longer told apart beyond 31 regions: those are never awaited', () => {
    const awaited = createAwaitedAnswers();
    for (let region = 1; region <= 32; region++) awaited.join(region);
    for (let region = 1; region < 31; region++) awaited.note(answer(region));
    expect(awaited.awaits(1, 60)).toBe(true);
    awaited.note(answer(31));
    expect(awaited.awaits(1, 60)).toBe(false);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import {
  expandRecurrence,
  RECURRENCE_MODULE,
  type Expansion,
  type ExpansionRequest,
} from '../../../core/recurrence.ts';
import { createBoundedCalls, type BoundedCalls } from '../../../runtime/bounded-calls.ts';

const functions = new URL('../../support/fixtures/bounded-functions.ts', import.meta.url);
const options = { watchdog: { limitMs: 200, giveUpMs: 15_000 } };

let calls: BoundedCalls<unknown, unknown> | undefined;
afterEach(() => calls?.close());

describe('a bounded call', () => {
  it('returns what the function returns, in the order of the calls', async () => {
    const doubles = (calls = createBoundedCalls(functions, 'double'));
    const ends = await Promise.all([1, 2, 3].map((value) => doubles.call(value)));
    expect(ends).toEqual([2, 4, 6].map((value) => ({ kind: 'value', value })));
  });

  it('that takes too long is ended, and those behind it are not', async () => {
    const loops = (calls = createBoundedCalls(functions, 'loopOn', options));
    const ends = await Promise.all(['a', 'for ever', 'b', 'for ever', 'c'].map((value) => loops.call(value)));
    const value = (text: string) => ({ kind: 'value', value: text });
    expect(ends).toEqual([value('a'), { kind: 'late' }, value('b'), { kind: 'late' }, value('c')]);
  });

  it('that throws has failed, and those behind it have not', async () => {
    calls = createBoundedCalls(functions, 'loopOn', options);
    expect(await calls.call('throw')).toEqual({ kind: 'failed', message: 'thrown' });
    expect(await calls.call('a')).toEqual({ kind: 'value', value: 'a' });
  });

  it('of what is not there is not run', async () => {
    calls = createBoundedCalls(functions, 'nothing', options);
    const end = await calls.call(1);
    expect(end.kind === 'unrun' && end.message).toMatch(/exports no nothing$/);
  });

  it('is not run where no worker can be started, nor are those behind it', async () => {
    // What is no text cannot be given to a worker: the thread is refused before it begins.
    const nobody = (calls = createBoundedCalls(functions, (() => 'double') as unknown as string));
    const ends = await Promise.all([1, 2].map((value) => nobody.call(value)));
    ends.push(await nobody.call(3));
    for (const end of ends)
      expect(end).toEqual({ kind: 'unrun', message: expect.stringContaining('no worker can be started') as string });
  });

  it('that is aborted while it waits is not begun, and those behind it are', async () => {
    const doubles = (calls = createBoundedCalls(functions, 'double'));
    const controller = new AbortController();
    const ends = [doubles.call(1), doubles.call(2, controller.signal), doubles.call(3)];
    controller.abort();
    expect((await Promise.all(ends)).map((end) => (end.kind === 'value' ? end.value : end.kind))).toEqual([
      2,
      'unrun',
      6,
    ]);
    expect(await doubles.call(4, controller.signal)).toMatchObject({ kind: 'unrun' });
  });

  it('is not run where the calls are closed, before it, behind it and while it runs', async () => {
    calls = createBoundedCalls(functions, 'loopOn');
    const running = [calls.call('for ever'), calls.call('a')];
    await calls.close();
    const ends = await Promise.all([...running, calls.call('a')]);
    expect(ends.map((end) => end.kind)).toEqual(['unrun', 'unrun', 'unrun']);
  });
});

describe('expansion in a worker', () => {
  it('gives what it gives here, and ends what has too much to count within a second', async () => {
    const recurrence = createBoundedCalls<ExpansionRequest, Expansion | null>(RECURRENCE_MODULE, 'expandRecurrence');
    calls = recurrence;
    const request = { rrule: 'FREQ=DAILY', start: 0, timezone: 'Europe/Berlin', from: 0, to: 1e6 };
    expect(await recurrence.call(request)).toEqual({ kind: 'value', value: expandRecurrence(request) });
    const endless = { ...request, rrule: 'FREQ=HOURLY;BYMINUTE=1,2;COUNT=999999999', start: -6e12 };
    expect(await recurrence.call(endless)).toEqual({ kind: 'late' });
  });
});

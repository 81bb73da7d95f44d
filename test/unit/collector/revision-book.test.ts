import { describe, expect, it } from 'vitest';
import { createRevisionBook, revisionHolds } from '../../../collector/revision-book.ts';
import type { MonitorRevisions } from '../../../db/definitions.ts';

/** A database whose newest revision of every monitor the test sets, and that counts how often it was asked. */
function database() {
  const state = { revision: 1, asked: 0, whileReading: (): void => undefined };
  const read = async (ids: readonly number[]): Promise<Map<number, MonitorRevisions>> => {
    state.asked += ids.length;
    const { revision } = state;
    state.whileReading();
    return new Map(
      ids.map((id) => [id, { state: 'known', everywhere: true, revisions: [{ revision, fromMinute: 0 }] }]),
    );
  };
  return { state, book: createRevisionBook(read) };
}
const newest = (found: readonly MonitorRevisions[]): (number | undefined)[] =>
  found.map((monitor) => (monitor.state === 'known' ? monitor.revisions.at(-1)?.revision : undefined));

describe('the revision book', () => {
  it('asks once while changes are told', async () => {
    const { state, book } = database();
    book.trust(true);
    await book.look([1, 2], [1, 1]);
    await book.look([1, 2, 3], [1, 1, 1]);
    expect(state.asked).toBe(3);
  });

  it('asks every time while they are not', async () => {
    const { state, book } = database();
    await book.look([1], [1]);
    await book.look([1], [1]);
    book.trust(true);
    await book.look([1], [1]);
    book.trust(false);
    await book.look([1], [1]);
    expect(state.asked).toBe(4);
  });

  it('asks again for a monitor that changed', async () => {
    const { state, book } = database();
    book.trust(true);
    await book.look([1, 2], [1, 1]);
    state.revision = 2;
    book.forget(1);
    expect(newest(await book.look([2, 1, 2], [1, 1, 1]))).toEqual([1, 2, 1]);
  });

  it('asks again, once, where an agent knows a higher revision than it remembers', async () => {
    const { state, book } = database();
    book.trust(true);
    await book.look([1, 2], [1, 1]);
    state.revision = 2;
    expect(newest(await book.look([1, 2, 1], [1, 1, 2]))).toEqual([2, 1, 2]);
    expect(newest(await book.look([1, 2], [2, 1]))).toEqual([2, 1]);
    expect(state.asked).toBe(3);
  });

  it('does not remember what a change overtook on its way', async () => {
    const { state, book } = database();
    book.trust(true);
    state.whileReading = () => {
      state.revision = 2;
      book.forget(1);
    };
    await book.look([1], [1]);
    state.whileReading = () => undefined;
    expect(newest(await book.look([1], [1]))).toEqual([2]);
  });
});

describe('revisionHolds', () => {
  const revisions = [
    { revision: 1, fromMinute: 60 },
    { revision: 2, fromMinute: 180 },
    { revision: 3, fromMinute: 180 },
  ];
  it.each([
    [1, 0, false],
    [1, 60, true],
    [1, 120, true],
    [2, 120, false],
    [1, 180, false],
    [2, 180, false],
    [3, 180, true],
    [3, 6000, true],
    [4, 6000, false],
  ])('revision %i in minute %i: %s', (revision, minute, holds) => {
    expect(revisionHolds(revisions, revision, minute)).toBe(holds);
  });
});

import { describe, expect, it } from 'vitest';
import { changedOf, durationOf, latencyOf, localOf, secondsOf } from '../../../../../web/manage/parts/form.ts';

describe('secondsOf and localOf', () => {
  it.each([
    ['2027-01-03T02:30', 'Asia/Tokyo', '2027-01-02T17:30Z'],
    ['2027-06-15T12:00', 'America/New_York', '2027-06-15T16:00Z'],
    ['2027-01-15T12:00', 'America/New_York', '2027-01-15T17:00Z'],
  ])('take %s in %s for %s', (local, zone, moment) => {
    expect(secondsOf(local, zone)).toBe(Date.parse(moment) / 1000);
    expect(localOf(Date.parse(moment) / 1000, zone)).toBe(local);
  });

  it('take a time that the clocks leave out for the one after it', () => {
    expect(secondsOf('2027-03-28T02:30', 'Europe/Berlin')).toBe(Date.parse('2027-03-28T01:30Z') / 1000);
  });

  it('take an empty control for none', () => {
    expect(secondsOf('', 'UTC')).toBeNull();
  });
});

describe('changedOf', () => {
  const fields = { title: 'A', end: null, monitors: [{ tag: 'shop' }] };

  it('leaves out what stands as it did, and keeps what was emptied or switched off', () => {
    const began = { title: 'A', end: '', monitors: [{ tag: 'shop' }] };
    expect(changedOf(fields, began, { ...began })).toEqual({});
    expect(changedOf(fields, { ...began, end: '10:00' }, began)).toEqual({ end: null });
    expect(changedOf({ status: 'off' }, { status: 'on' }, {})).toEqual({ status: 'off' });
    expect(changedOf(fields, { ...began, monitors: [] }, began)).toEqual({ monitors: [{ tag: 'shop' }] });
  });
});

it('says how long something is', () => {
  expect([0, 59, 60, 1501].map(durationOf)).toEqual(['0 min', '59 min', '1 h', '1 d 1 h 1 min']);
});

it('says latencies no more precisely than they mean anything', () => {
  expect([null, 0, 4.26, 104.463].map(latencyOf)).toEqual(['–', '–', '4.3 ms', '104 ms']);
});

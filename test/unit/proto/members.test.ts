import { describe, expect, it } from 'vitest';
import {
  decodeHeartbeat,
  encodeHeartbeat,
  memberOfSubject,
  subjectOfMember,
  subjectOfMembers,
  type Heartbeat,
} from '../../../proto/members.ts';

const beat: Heartbeat = {
  session: 'a-session',
  bornMs: 1.5,
  phase: 'member',
  sequence: 3,
  fromMs: 60_000,
  untilMs: null,
  epoch: 'epoch-1',
  generation: 7,
  kinds: ['PING'],
};

describe('a heartbeat', () => {
  it('comes out as it went in, whatever a later version adds', () => {
    expect(decodeHeartbeat(Buffer.from(encodeHeartbeat(beat)))).toEqual(beat);
    expect(decodeHeartbeat(Buffer.from(JSON.stringify({ ...beat, load: 0.5 })))).toEqual(beat);
  });

  it.each([
    ['garbage', '\u0000\u0001'],
    ['nothing', ''],
    ['a list', '[]'],
    ['another phase', JSON.stringify({ ...beat, phase: 'king' })],
    ['no session', JSON.stringify({ ...beat, session: '' })],
    ['a session without end', JSON.stringify({ ...beat, session: 'x'.repeat(65) })],
    ['a time that is no number', JSON.stringify({ ...beat, fromMs: 'now' })],
    ['more kinds than there can be', JSON.stringify({ ...beat, kinds: Array.from({ length: 33 }, () => 'PING') })],
  ])('is none in %s', (_, text) => {
    expect(decodeHeartbeat(Buffer.from(text))).toBeNull();
  });
});

describe('a subject', () => {
  it('names the agent that may speak on it', () => {
    expect(memberOfSubject(subjectOfMember('eu-west', 12))).toBe(12);
    expect(subjectOfMember('eu-west', 12)).toBe(subjectOfMembers('eu-west').replace('*', '12'));
    for (const subject of ['farwatch.members.eu.0', 'farwatch.members.eu.x', 'farwatch.members.eu', ''])
      expect(memberOfSubject(subject)).toBeNull();
  });
});

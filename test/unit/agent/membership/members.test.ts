import { beforeEach, describe, expect, it } from 'vitest';
import { Members, type Able } from '../../../../agent/membership/members.ts';
import type { View } from '../../../../agent/membership/view.ts';
import type { Heartbeat } from '../../../../proto/members.ts';

const MINUTE_MS = 60_000;
const START_MS = 1_000 * MINUTE_MS;

let nowMs: number;
let able: Able | null;
let said: Heartbeat[];
let views: View[];
let members: Members;
/** Whether what is said comes back. */
let echoes: boolean;
let echoed: number;

beforeEach(() => {
  nowMs = START_MS;
  able = { epoch: 'epoch-1', generation: 1, kinds: ['TCP'] };
  said = [];
  views = [];
  echoes = true;
  echoed = 0;
  members = new Members({
    session: 'own',
    agentId: 1,
    able: () => able,
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    publish: (beat) => said.push(beat),
    onView: (view) => views.push(view),
  });
  members.connected();
});

/** Lets time pass, with the own heartbeats coming back, and the others' as they are given every second. */
function pass(ms: number, ...others: [number, Heartbeat][]): void {
  for (let passed = 0; passed < ms; passed += 250) {
    nowMs += 250;
    if (passed % 1000 === 0) for (const [agentId, beat] of others) members.hear(agentId, beat);
    members.tick();
    const fresh = said.slice(echoed);
    echoed = said.length;
    if (echoes) for (const beat of fresh) members.hear(1, beat);
  }
}

/** A heartbeat comes, and the next tick. */
function hear(agentId: number, beat: Heartbeat): void {
  members.hear(agentId, beat);
  members.tick();
}

function beatOf(session: string, more: Partial<Heartbeat> = {}): Heartbeat {
  const times = { bornMs: START_MS - MINUTE_MS, fromMs: START_MS - MINUTE_MS, untilMs: null };
  const adopted = { epoch: 'epoch-1', generation: 1, kinds: ['TCP'] };
  return { session, phase: 'member', sequence: 1, ...times, ...adopted, ...more };
}

function present(): string[] {
  return views.at(-1)?.tenures.map(({ session }) => session) ?? [];
}

describe('an agent that starts', () => {
  it('says that it joins, listens, and then names a minute that has not begun', () => {
    expect(said.map(({ phase, fromMs }) => [phase, fromMs])).toEqual([['joining', null]]);
    pass(500, [2, beatOf('other')]);
    expect(views).toEqual([]);
    pass(3000, [2, beatOf('other')]);
    expect(present()).toEqual(['own', 'other']);
    expect(said.at(-1)).toMatchObject({ phase: 'member', fromMs: START_MS + MINUTE_MS });
  });

  it('takes the minute after the next where that is too near for all to hear of it', () => {
    pass(3000);
    expect(said.at(-1)?.fromMs).toBe(START_MS + MINUTE_MS);
    nowMs = START_MS + 56_500;
    members = new Members({
      session: 'own',
      agentId: 1,
      able: () => able,
      nowMs: () => nowMs,
      monotonicMs: () => nowMs,
      publish: (beat) => said.push(beat),
      onView: (view) => views.push(view),
    });
    members.connected();
    pass(3000);
    expect(said.at(-1)?.fromMs).toBe(START_MS + 2 * MINUTE_MS);
  });

  it('only listens as long as it is not able', () => {
    able = null;
    pass(10_000, [2, beatOf('other')]);
    expect(said.every(({ phase }) => phase === 'joining')).toBe(true);
    able = { epoch: 'epoch-1', generation: 1, kinds: ['TCP'] };
    pass(250);
    expect(said.at(-1)?.phase).toBe('member');
  });

  it('begins alone where NATS does not answer', () => {
    echoes = false;
    pass(5500);
    expect(views).toEqual([]);
    pass(750);
    expect(present()).toEqual(['own']);
  });
});

describe('an agent of a region', () => {
  beforeEach(() => pass(3000, [2, beatOf('other')]));

  it('answers one that has just come at once, and speaks every two seconds otherwise', () => {
    pass(250);
    const before = said.length;
    hear(3, beatOf('third', { phase: 'joining', fromMs: null }));
    expect(said.length).toBe(before + 1);
    hear(3, beatOf('third', { phase: 'joining', fromMs: null }));
    expect(said.length).toBe(before + 1);
    expect(present()).toEqual(['own', 'other']);
    pass(10_000, [2, beatOf('other')]);
    expect(said.length).toBe(before + 6);
  });

  it('takes another that is silent for gone after six seconds, not before', () => {
    pass(5000);
    expect(present()).toEqual(['own', 'other']);
    pass(1500);
    expect(present()).toEqual(['own']);
  });

  it('takes nobody for gone while its own heartbeats do not come back, nor right after they do again', () => {
    echoes = false;
    pass(60_000);
    expect(present()).toEqual(['own', 'other']);
    members.disconnected();
    pass(60_000);
    members.connected();
    echoes = true;
    pass(5500);
    expect(present()).toEqual(['own', 'other']);
    pass(3000);
    expect(present()).toEqual(['own']);
  });

  it('takes nobody for gone because it stood still itself', () => {
    nowMs += 60_000;
    members.tick();
    const own = said.at(-1);
    hear(2, beatOf('other'));
    if (own !== undefined) hear(1, own);
    pass(3000, [2, beatOf('other')]);
    expect(views.every(({ tenures }) => tenures.length === 2)).toBe(true);
  });

  it('knows by a new session that the one before has ended, and heeds no older one', () => {
    hear(2, beatOf('again', { bornMs: START_MS, phase: 'joining', fromMs: null }));
    expect(present()).toEqual(['own']);
    hear(2, beatOf('other'));
    expect(present()).toEqual(['own']);
    hear(2, beatOf('again', { bornMs: START_MS, fromMs: START_MS + MINUTE_MS }));
    expect(present()).toEqual(['own', 'again']);
  });

  it('remembers one that has left for as long as a minute can be made up for', () => {
    const untilMs = nowMs + 3000;
    hear(2, beatOf('other', { phase: 'left', untilMs }));
    pass(60_000);
    expect(views.at(-1)?.tenures.map((one) => one.untilMs)).toEqual([null, untilMs]);
    expect(members.size).toBe(1);
    pass(60_000);
    expect(present()).toEqual(['own']);
  });

  it('names the moment when it leaves, but not where nobody stays or hears', () => {
    pass(MINUTE_MS, [2, beatOf('other')]);
    const untilMs = members.leave();
    expect(untilMs).toBe(nowMs + 3000);
    expect(said.at(-1)).toMatchObject({ phase: 'member', untilMs });
    members.left();
    expect(said.at(-1)).toMatchObject({ phase: 'left', untilMs });
  });

  it('leaves at once where it is alone, the other leaves too, or nothing comes back', () => {
    hear(2, beatOf('other', { untilMs: nowMs + 2000 }));
    expect(members.leave()).toBeNull();
    hear(2, beatOf('other'));
    echoes = false;
    pass(5500, [2, beatOf('other')]);
    expect(members.leave()).toBeNull();
    echoes = true;
    pass(10_000);
    expect(members.leave()).toBeNull();
  });

  it('knows who has had older definitions for ten seconds, and that it has caught up', () => {
    able = { epoch: 'epoch-1', generation: 7, kinds: ['TCP'] };
    const lacks = (): unknown => views.at(-1)?.tenures[1]?.lacksAfter;
    pass(9500, [2, beatOf('other', { generation: 6 })]);
    expect(lacks()).toBeNull();
    pass(1500, [2, beatOf('other', { generation: 6 })]);
    expect(lacks()).toBe(6);
    pass(500, [2, beatOf('other', { generation: 7 })]);
    expect(lacks()).toBeNull();
    pass(11_000, [2, beatOf('other', { epoch: 'epoch-0', generation: 99 })]);
    expect(lacks()).toBe(-1);
  });

  it('says at once what has changed', () => {
    pass(250);
    const before = said.length;
    able = { epoch: 'epoch-1', generation: 2, kinds: ['TCP', 'PING'] };
    members.tick();
    expect(said.slice(before).map(({ generation, kinds }) => [generation, kinds])).toEqual([[2, ['TCP', 'PING']]]);
    expect(views.at(-1)?.tenures[0]?.kinds).toEqual(['TCP', 'PING']);
  });

  it('heeds nobody else that speaks of its own life, or of that of a neighbour', () => {
    echoes = false;
    for (let passed = 0; passed < 60; passed += 1) {
      // A thief of another agent's key may publish what it likes, under its own number.
      hear(9, beatOf('own', { sequence: 1000 + passed, kinds: [] }));
      hear(9, beatOf('other', { phase: 'joining', bornMs: START_MS + passed, fromMs: null }));
      pass(1000);
    }
    expect(present()).toEqual(['own', 'other']);
    expect(views.at(-1)?.tenures.map(({ agentId }) => agentId)).toEqual([1, 2]);
    expect(members.problem()).toContain('do not come back');
  });

  it('remembers few lives of one agent, however many take leave', () => {
    for (let life = 0; life < 1000; life += 1)
      hear(9, beatOf(`life ${life}`, { phase: 'left', bornMs: START_MS + life, untilMs: Number.MAX_VALUE }));
    expect(views.at(-1)?.tenures.length).toBeLessThan(10);
    pass(1000, [2, beatOf('other')]);
    expect(present()).toEqual(expect.arrayContaining(['own', 'other']));
  });

  it('speaks and divides the region no more often than it ticks, however much it hears', () => {
    pass(250);
    const before = [said.length, views.length];
    for (let life = 0; life < 1000; life += 1) members.hear(9, beatOf(`life ${life}`, { bornMs: START_MS + life }));
    expect([said.length, views.length]).toEqual(before);
    members.tick();
    expect(said.length - (before[0] ?? 0)).toBe(1);
    expect(views.length - (before[1] ?? 0)).toBe(1);
  });

  it('tells its owner of another under its identity, and of heartbeats that do not come back', () => {
    expect(members.problem()).toBeNull();
    hear(1, beatOf('twin'));
    expect(members.problem()).toContain('identity');
    expect(present()).toEqual(['own', 'other']);
    pass(11_000);
    expect(members.problem()).toBeNull();
    echoes = false;
    pass(11_000);
    expect(members.problem()).toContain('do not come back');
  });
});

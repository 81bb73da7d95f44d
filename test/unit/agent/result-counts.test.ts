import { describe, expect, it } from 'vitest';
import { countResults } from '../../../agent/result-counts.ts';
import type { ResultSink } from '../../../agent/schedule-books.ts';
import type { PlacedResult } from '../../../agent/spool/grouping.ts';
import { unknownOutcome, type Outcome, type UnknownReason } from '../../../core/outcome.ts';

const MINUTE = 60_000;
const UP: Outcome = { status: 'UP', cause: 'NONE', origin: 'REALTIME', latencyUs: 5, error: null, packets: null };

function open() {
  const kept: PlacedResult[] = [];
  const sink: ResultSink = {
    append: async (_epoch, placed) => void kept.push(...placed),
    appendAbsences: () => Promise.resolve(),
    flush: () => Promise.resolve(),
    recorded: async function* () {},
  };
  const { sink: counted, counts } = countResults(sink);
  const write = (...outcomes: Outcome[]) =>
    counted.append(
      'e',
      outcomes.map((outcome) => ({
        result: { ...outcome, monitorId: 1, minute: 0, revision: 1 },
        startedMs: 0,
        usedOffsetMs: null,
      })),
    );
  const unknown = (reason: UnknownReason) => write(unknownOutcome(reason, 'so'));
  return { kept, counts, write, unknown };
}

describe('the counts of results', () => {
  it('count what is written, by status and by reason, and hand it on', async () => {
    const { kept, counts, write } = open();
    await write(UP, UP, unknownOutcome('late', 'a'), { ...unknownOutcome('late', 'a'), error: 'no reason: at all' });
    expect(kept).toHaveLength(4);
    expect([...counts.byStatus]).toEqual([
      ['UP', 2],
      ['UNKNOWN', 2],
    ]);
    expect([...counts.unknown]).toEqual([
      ['late', 1],
      ['other', 1],
    ]);
  });

  it('know the last hour from what came before it', async () => {
    const { counts, unknown } = open();
    expect(counts.unknownLastHour(0)).toEqual({});
    await unknown('stalled');
    for (let at = MINUTE; at < 60 * MINUTE; at += MINUTE) expect(counts.unknownLastHour(at)).toEqual({ stalled: 1 });
    await unknown('policy');
    expect(counts.unknownLastHour(60 * MINUTE)).toEqual({ stalled: 1, policy: 1 });
    expect(counts.unknownLastHour(61 * MINUTE)).toEqual({ policy: 1 });
    for (let at = 62 * MINUTE; at < 119 * MINUTE; at += MINUTE) counts.unknownLastHour(at);
    expect(counts.unknownLastHour(119 * MINUTE)).toEqual({ policy: 1 });
    expect(counts.unknownLastHour(121 * MINUTE)).toEqual({});
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unknownOutcome, type Cause, type CheckOrigin, type Status } from '../../../core/outcome.ts';
import type { RegionalResult } from '../../../core/result.ts';
import { FIELD, ResultBlock } from '../../../core/result-block.ts';

const number = fc.nat(2_147_483_647);
const anyResult: fc.Arbitrary<RegionalResult> = fc.record({
  monitorId: number,
  minute: number.map((count) => count * 60),
  regionId: fc.nat(32_767),
  agentId: number,
  revision: number,
  status: fc.constantFrom<Status>('UP', 'DOWN', 'DEGRADED', 'UNKNOWN'),
  cause: fc.constantFrom<Cause>('NONE', 'TARGET', 'RESOLVER', 'AGENT'),
  origin: fc.constantFrom<CheckOrigin>('REALTIME', 'API', 'TIMEOUT', 'ERROR'),
  latencyUs: fc.option(number),
  error: fc.option(fc.string()),
  packets: fc.option(
    fc.record({
      sent: number,
      received: number,
      minUs: fc.option(number),
      avgUs: fc.option(number),
      maxUs: fc.option(number),
      deviationUs: fc.option(number),
    }),
  ),
});
const anyResults = fc.array(anyResult, { maxLength: 20 });
const resultsOf = (block: ResultBlock): RegionalResult[] => block.rows().map((row) => block.result(row));

describe('a block of results', () => {
  it('gives back each result as it was', () => {
    fc.assert(
      fc.property(anyResults, (results) => {
        expect(resultsOf(ResultBlock.of(results))).toEqual(results);
      }),
    );
  });

  it('is joined from others in their order, and picked from in any', () => {
    fc.assert(
      fc.property(fc.array(anyResults, { maxLength: 4 }), fc.infiniteStream(fc.nat()), (parts, random) => {
        const joined = ResultBlock.join(parts.map((results) => ResultBlock.of(results)));
        const results = parts.flat();
        expect(resultsOf(joined)).toEqual(results);
        const picked = results.map(() => (random.next().value as number) % results.length);
        expect(resultsOf(joined.pick(picked))).toEqual(picked.map((row) => results[row]));
      }),
    );
  });

  it('takes another outcome of one result, and nothing else', () => {
    fc.assert(
      fc.property(fc.tuple(anyResult, anyResult, anyResult), (results) => {
        const block = ResultBlock.of(results);
        const stale = unknownOutcome('stale', 'measured under another revision');
        block.setOutcome(1, stale);
        expect(resultsOf(block)).toEqual([results[0], { ...results[1], ...stale }, results[2]]);
        expect(block.column(FIELD.monitorId)).toEqual(results.map(({ monitorId }) => monitorId));
      }),
    );
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../deploy/local/free-port.ts';
import { openAgentStream, type AgentStream } from '../../../proto/agent-stream.ts';
import { encodeResults } from '../../../proto/results-codec.ts';
import type { CheckResult } from '../../../core/result.ts';
import type { SinkOrder, SinkReport } from '../../support/counting-sink-process.ts';
import { eventually } from '../../support/eventually.ts';
import { forkProgram, type ForkedProgram } from '../../support/forked-program.ts';
import { syntheticResult } from '../../support/synthetic-results.ts';
import { testAgentTls, testServerTls } from '../../support/test-identity.ts';

const FIRST = 1_800_000_000;
const LATENCY_NOBODY_HAS = 1;

let sink: ForkedProgram<SinkOrder, SinkReport>;
let stream: AgentStream;
let acknowledged: number;

beforeEach(async () => {
  sink = forkProgram('counting-sink');
  const port = await freePort();
  const size = { monitors: 4, minutes: 4, backlogMinutes: 2 };
  const options = { ...size, port, epoch: 'epoch-1', firstMinute: FIRST, tls: testServerTls };
  await sink.tell({ order: 'begin', options });
  stream = openAgentStream({ address: `127.0.0.1:${port}`, tls: testAgentTls });
  acknowledged = 0;
  void (async () => {
    for await (const { body } of stream.messages) if (body === 'ack') acknowledged += 1;
  })();
});

afterEach(async () => {
  await stream.close();
  await sink.end();
});

/** What the collector counts once it has had these batches. */
async function countsOf(...batches: CheckResult[][]): Promise<SinkReport> {
  for (const [index, rows] of batches.entries())
    await stream.send({ body: 'results', results: encodeResults(index + 1, 'epoch-1', rows) });
  await eventually('all acknowledgements', 20_000, () => acknowledged === batches.length);
  return sink.tell({ order: 'report' });
}

function minuteOf(minute: number, monitorIds = [1, 2, 3, 4]): CheckResult[] {
  return monitorIds.map((id) => syntheticResult(id, FIRST + 60 * minute));
}

describe('the collector that counts', () => {
  it('knows when the backlog is whole, and counts what comes after it apart', async () => {
    const whole = await countsOf(minuteOf(0), minuteOf(2), minuteOf(1));
    expect(whole).toMatchObject({ backlog: 8, live: 4, doubled: 0, repeated: 0, invented: 0 });
    expect(whole.wholeMs).toBeGreaterThan(0);
  });

  it('misses what did not come', async () => {
    expect(await countsOf(minuteOf(0), minuteOf(1, [1, 2, 4]))).toMatchObject({ backlog: 7, wholeMs: 0 });
  });

  it('counts what comes twice', async () => {
    expect(await countsOf(minuteOf(0), minuteOf(0, [3]))).toMatchObject({ backlog: 4, doubled: 1, repeated: 0 });
  });

  it('counts what nobody has measured', async () => {
    const [first, second, third] = minuteOf(0);
    if (first === undefined || second === undefined || third === undefined) throw new Error('there are four');
    const invented: CheckResult[] = [
      { ...first, latencyUs: LATENCY_NOBODY_HAS },
      { ...second, error: 'invented' },
      { ...third, minute: FIRST - 60 },
      syntheticResult(5, FIRST + 60 * 3),
    ];
    expect(await countsOf(invented)).toMatchObject({ backlog: 0, live: 0, invented: 4 });
  });
});

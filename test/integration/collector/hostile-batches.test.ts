import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../core/result.ts';
import type { ResultBatch } from '../../../proto/messages.ts';
import { sweep } from '../../../db/consolidate.ts';
import { encodeResults, MAX_BATCH_ROWS } from '../../../proto/results-codec.ts';
import { tcpResult } from '../../support/check-results.ts';
import { eventually } from '../../support/eventually.ts';
import { openHostileScene, thisMinute, type HostileScene } from '../../support/hostile-scene.ts';
import { connectWireAgent, type WireAgent } from '../../support/wire-agent.ts';

let scene: HostileScene;
beforeAll(async () => {
  scene = await openHostileScene();
});
afterEach(async () => {
  // Whatever was done, the other agent's stream goes on.
  expect(await scene.tidy()).toEqual([expect.stringMatching(/stored|duplicate/)]);
});
afterAll(() => scene.end());

describe('of a batch', () => {
  let agent: WireAgent;
  beforeAll(async () => {
    agent = await connectWireAgent({ address: scene.address, token: scene.token, region: 'eu' });
  });
  afterAll(() => agent.close());

  const MAX = 4_294_967_295;
  it.each<[string, (batch: ResultBatch) => void, string]>([
    ['a negative latency', ({ latencyUs }) => (latencyUs[1] = -1), 'invalid: latency'],
    ['an endless latency', ({ latencyUs }) => (latencyUs[1] = MAX), 'invalid: latency'],
    ['no latency', ({ latencyUs }) => (latencyUs[1] = 0), 'invalid: latency'],
    ['a minute in the far future', ({ minute }) => (minute[1] = 2_147_483_647), 'future'],
    ['a minute beyond all', ({ minute }) => (minute[1] = MAX), 'invalid: minute'],
    ['the first minute of all', ({ minute }) => (minute[1] = 0), 'too old'],
    ['the next hour', ({ minute }) => (minute[1] = thisMinute() / 60 + 60), 'future'],
    ['a monitor that never was', (batch) => (batch.monitorId[1] = 2_147_483_647), 'unknown monitor'],
    ['a monitor without a number', (batch) => (batch.monitorId[1] = 0), 'invalid: monitor id'],
    ['a monitor beyond all', (batch) => (batch.monitorId[1] = MAX), 'invalid: monitor id'],
    ['a revision of nothing', ({ revision }) => (revision[1] = 0), 'invalid: revision'],
    ['a status that nobody knows', ({ status }) => (status[1] = 99), 'invalid: status'],
    ['a text that is not there', ({ text }) => (text[1] = 7), 'invalid: text'],
  ])('a row with %s is refused alone, in words', async (_, damage, reason) => {
    const batch = encodeResults(1000, agent.welcome.epoch, [scene.result(), scene.result(), scene.result()]);
    damage(batch);
    const [first, second, third] = await agent.sendBatch(batch);
    expect(second?.reason).toBe(reason);
    expect([first?.answer, third?.answer]).toEqual([
      expect.stringMatching(/stored|duplicate/),
      expect.stringMatching(/stored|duplicate/),
    ]);
  });

  it.each<[string, (batch: ResultBatch) => void, string]>([
    ['of unequal columns', ({ minute }) => minute.pop(), 'malformed: columns differ in length'],
    [
      'of one long column',
      ({ text }) => text.push(...new Array<number>(20_000).fill(0)),
      'malformed: columns differ in length',
    ],
    [
      'of too many rows',
      (batch) =>
        Object.assign(
          batch,
          encodeResults(1001, batch.epoch, new Array<CheckResult>(MAX_BATCH_ROWS + 1).fill(scene.result())),
        ),
      `malformed: more than ${MAX_BATCH_ROWS} rows`,
    ],
    ['of a database that is gone', (batch) => (batch.epoch = '\0'), 'epoch'],
  ])('%s nothing is taken, in words', async (_, damage, reason) => {
    const batch = encodeResults(1001, agent.welcome.epoch, [scene.result(), scene.result()]);
    damage(batch);
    expect((await agent.sendBatch(batch))[0]).toEqual({ answer: 'dropped', reason });
    expect(
      await scene.counted('rows_total', { answer: 'dropped', reason: reason.split(':')[0] ?? '' }),
    ).toBeGreaterThan(0);
  });

  it('what stands there is of the agent and region of the certificate, and has no vote where the region runs nothing', async () => {
    const foreign = await scene.monitor('foreign', ['us']);
    const own = await scene.monitor('own', ['eu']);
    // Nobody is waited for any more.
    const minute = thisMinute() - 180;
    await agent.send([tcpResult(foreign, { minute }), tcpResult(own, { minute })]);
    const { rows } = await scene.database.pool.query<{ agent: string; region: string }>(
      `select a.name as agent, g.name as region from check_results r join agents a on a.id = agent_id
       join regions g on g.id = r.region_id where monitor_id = $1`,
      [foreign],
    );
    expect(rows).toEqual([{ agent: 'hostile', region: 'eu' }]);
    await sweep(scene.database.pool);
    const points = await scene.database.pool.query<{ id: number }>(
      'select monitor_id as id from data_points where monitor_id = any($1)',
      [[foreign, own]],
    );
    expect(points.rows).toEqual([{ id: own }]);
  });

  it('a flood that cannot be read is two lines of the log, and every row of it is counted', async () => {
    const flooding = await connectWireAgent({ address: scene.address, token: scene.token, region: 'eu' });
    const ofThese = { answer: 'dropped', reason: 'malformed' };
    const [linesBefore, rowsBefore] = [scene.collector.log.length, await scene.counted('rows_total', ofThese)];
    for (let number = 0; number < 100; number += 1) {
      const batch = encodeResults(2000 + number, flooding.welcome.epoch, [scene.result(), scene.result()]);
      batch.minute.pop();
      await flooding.sendBatch(batch);
    }
    expect((await scene.counted('rows_total', ofThese)) - rowsBefore).toBe(200);
    await flooding.close();
    const said = (): unknown[] =>
      scene.collector.log
        .slice(linesBefore)
        .flatMap(({ msg, reason, batches }) => (String(msg).startsWith('malformed') ? [reason ?? batches] : []));
    await eventually('the end of the flood', 20_000, () => said().length > 1);
    expect(said()).toEqual(['columns differ in length', 100]);
  });

  it('absences that are too many, too long or turned round are refused alone, in words', async () => {
    const now = thisMinute();
    const invalid = { answer: 'dropped', reason: 'invalid: absence' };
    expect(
      await agent.absences([
        { from: now - 60, to: now - 120 },
        { from: 0, to: 4_294_967_295 * 60 },
        { from: now - 600, to: now - 540, reason: `\0${'r'.repeat(100_000)}` },
      ]),
    ).toEqual([invalid, invalid, { answer: 'stored', reason: null }]);
    const many = Array.from({ length: 10_001 }, () => ({ from: now - 120, to: now - 60 }));
    expect((await agent.absences(many))[0]).toEqual({ answer: 'dropped', reason: 'malformed: too many' });
  });
});

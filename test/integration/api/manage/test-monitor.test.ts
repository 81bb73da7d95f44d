import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerCheck, claimCheck, listOpenChecks, type OpenCheck } from '../../../../db/check-requests.ts';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { REPORT } from '../../../support/check-scene.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';
import { eventually } from '../../../support/eventually.ts';
import { addRegion } from '../../../support/monitoring-fixture.ts';

const HOST = { type: 'IP4', host: '127.0.0.1', port: 80, timeout: 1000 };

let dashboard: Dashboard;
let pool: pg.Pool;
let agentId: number;
beforeAll(async () => {
  dashboard = await startDashboard();
  ({ pool } = dashboard.test.database);
  ({ agentId } = await addRegion(pool, 'eu'));
  await addRegion(pool, 'us');
});
afterAll(() => dashboard.test.stop());

/** What a collector does whose agent reports. Returns what it was asked for. */
async function answerNext(): Promise<OpenCheck> {
  const check = await eventually('nobody asks', 10_000, async () => (await listOpenChecks(pool, null))[0]);
  await claimCheck(pool, check.id, agentId);
  await answerCheck(pool, check.id, agentId, { report: JSON.stringify(REPORT) });
  return check;
}

describe('testMonitor', () => {
  it('answers what an agent found of a saved monitor', async () => {
    const { id } = await createMonitor(dashboard.test.api, { monitor_type: 'TCP', type_data: { hosts: [HOST] } });
    const [answer, asked] = await Promise.all([dashboard.run('testMonitor', { monitor_id: id }), answerNext()]);
    expect(answer).toMatchObject({
      ...{ region: 'eu', agent: 'eu-1', status: 'DOWN', latency: 1.5, type: 'REALTIME' },
      error_message: REPORT.error,
      results: REPORT.results,
    });
    expect(JSON.parse(asked.definition)).toEqual({ kind: 'TCP', config: { hosts: [HOST] } });
    expect((await pool.query('select from check_results union all select from data_points')).rowCount).toBe(0);
  });

  it('runs what is not saved, in a region', async () => {
    const { id } = await createMonitor(dashboard.test.api, { monitor_type: 'NONE' });
    const data = { monitor_id: id, monitor_type: 'TCP', type_data: JSON.stringify({ hosts: [{ ...HOST, port: 81 }] }) };
    const [, asked] = await Promise.all([dashboard.run('testMonitor', { ...data, region: 'eu' }), answerNext()]);
    expect(asked.regionId).not.toBeNull();
    expect(JSON.parse(asked.definition)).toEqual({ kind: 'TCP', config: { hosts: [{ ...HOST, port: 81 }] } });
  });

  it('says within 15 seconds that no agent is there', async () => {
    const begun = performance.now();
    const data = { monitor_type: 'TCP', type_data: { hosts: [HOST] }, region: 'us' };
    const message = 'No agent of region us is connected that can run TCP checks';
    expect(failureOf(await dashboard.ask('testMonitor', data))).toEqual([503, message]);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  it.each([
    [{}, [400, 'monitor_id is required']],
    [{ monitor_id: 'x' }, [400, 'monitor_id must be a positive integer']],
    [{ monitor_id: 999_999 }, [404, "Monitor with id '999999' not found"]],
    [{ monitor_type: 'NONE' }, [400, 'Monitors of type NONE have no check to run']],
    [{ monitor_type: 'SQL' }, [400, 'Monitors of type SQL have no check to run']],
    [{ monitor_type: 'TCP', type_data: { hosts: [HOST] }, region: 'mars' }, [400, "Region 'mars' does not exist"]],
  ])('refuses %j', async (data, expected) => {
    expect(failureOf(await dashboard.ask('testMonitor', data))).toEqual(expected);
  });

  it('refuses a definition that could not be saved, and a saved monitor without a check', async () => {
    expect((await dashboard.ask('testMonitor', { monitor_type: 'TCP', type_data: { hosts: [] } })).status).toBe(400);
    const { id } = await createMonitor(dashboard.test.api, { monitor_type: 'NONE' });
    expect(failureOf(await dashboard.ask('testMonitor', { monitor_id: id }))).toEqual([
      400,
      'Monitors of type NONE have no check to run',
    ]);
  });
});

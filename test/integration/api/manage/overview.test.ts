import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeInvitation, enrolCommand, hashInvitationSecret } from '../../../../core/invitation.ts';
import { enrolByInvitation } from '../../../../db/agent-invitations.ts';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';
import { addRegion } from '../../../support/monitoring-fixture.ts';

const MEETING_POINT = { collector: 'collector.example:50051', fingerprint: 'ab'.repeat(32) };

let dashboard: Dashboard;
let pool: pg.Pool;
beforeAll(async () => {
  dashboard = await startDashboard({ meetingPoint: MEETING_POINT });
  ({ pool } = dashboard.test.database);
});
afterAll(() => dashboard.test.stop());

describe('getDashboardOverview', () => {
  it('counts monitors by how they are now, and tells the worst first, hidden ones included', async () => {
    const { api } = dashboard.test;
    const now = Math.floor(Date.now() / 60_000) * 60;
    const make = async (newStatus: string | null, fields: object = {}): Promise<string> => {
      const { tag } = await createMonitor(api, fields);
      const data = { monitor_tag: tag, start: now - 120, end: now, newStatus, latency: 20 };
      if (newStatus) await dashboard.run('updateMonitoringData', data);
      return tag;
    };
    await make('UP');
    const silent = await make(null);
    await api.patch(`/api/v4/monitors/${silent}`, { default_status: null });
    const degraded = await make('DEGRADED');
    const down = await make('DOWN', { is_hidden: 'YES' });
    await make('DOWN', { status: 'INACTIVE' });
    const held = await make('DOWN');
    await api.post('/api/v4/maintenances', {
      ...{ title: 'A', rrule: 'FREQ=DAILY;COUNT=1', duration_seconds: 3600 },
      ...{ start_date_time: now - 600, monitors: [{ monitor_tag: held }] },
    });
    await addRegion(pool, 'eu');
    await addRegion(pool, 'us', null);
    const overview = await dashboard.run<{ troubles: { tag: string }[] }>('getDashboardOverview');
    expect(overview).toMatchObject({
      monitors: {
        total: 6,
        active: 5,
        hidden: 1,
        by_status: { UP: 1, DOWN: 1, DEGRADED: 1, MAINTENANCE: 1, NO_DATA: 1 },
      },
      agents: { total: 2, connected: 1 },
      regions: [
        { name: 'eu', agents: 1, connected_agents: 1 },
        { name: 'us', agents: 1, connected_agents: 0 },
      ],
    });
    expect(overview.troubles).toMatchObject([
      { tag: down, status: 'DOWN', latency: 20, timestamp: now - 60, is_hidden: 'YES' },
      { tag: degraded, status: 'DEGRADED' },
      { tag: silent, status: 'NO_DATA', latency: null, timestamp: null },
    ]);
  });
});

describe('inviteAgent', () => {
  interface Invited {
    name: string;
    token: string;
    command: string;
    expires_at: string;
  }

  it('hands out a command that lets one host become an agent of the region', async () => {
    const invited = await dashboard.run<Invited>('inviteAgent', { region: 'mars', name: 'Rover', minutes: 5 });
    expect(invited.command).toBe(enrolCommand(invited.token));
    const invitation = decodeInvitation(invited.token);
    expect(invitation).toMatchObject(MEETING_POINT);
    const lifetime = Date.parse(invited.expires_at) - Date.now();
    expect(lifetime).toBeGreaterThan(4 * 60_000);
    expect(lifetime).toBeLessThanOrEqual(5 * 60_000);
    const keys = { keyHash: 'cd'.repeat(32), natsUser: 'U1' };
    const enrolled = await enrolByInvitation(pool, hashInvitationSecret(invitation?.secret ?? ''), keys);
    expect(enrolled).toMatchObject({ agent: { name: 'Rover', region: 'mars' } });
    const again = await dashboard.ask('inviteAgent', { region: 'mars', name: 'Rover' });
    expect(failureOf(again)).toEqual([400, "Agent 'Rover' already exists"]);
    expect((await dashboard.run<Invited>('inviteAgent', { region: 'mars' })).name).toMatch(/^mars-[0-9a-f]{6}$/);
  });

  it.each([
    [{}, 'region must be a name of at most 32 lowercase letters, digits and hyphens'],
    [{ region: 'No!' }, 'region must be a name of at most 32 lowercase letters, digits and hyphens'],
    [{ region: 'mars', minutes: 0 }, 'minutes must be an integer between 1 and 10080'],
    [{ region: 'mars', name: ' ' }, 'name must be a non-empty string'],
  ])('refuses %j', async (data, message) => {
    expect(failureOf(await dashboard.ask('inviteAgent', data))).toEqual([400, message]);
  });

  it('says where it was not told how agents reach collectors', async () => {
    const untold = await startDashboard();
    const [status, message] = failureOf(await untold.ask('inviteAgent', { region: 'mars' }));
    await untold.test.stop();
    expect([status, message.includes('COLLECTOR_ADDRESS')]).toEqual([400, true]);
  });
});

describe('invitations', () => {
  interface Pending {
    name: string;
    region: string;
    created_at: string;
    expires_at: string;
  }

  const invite = (name: string): Promise<{ token: string; expires_at: string }> =>
    dashboard.run('inviteAgent', { region: 'venus', name, minutes: 5 });
  const pending = async (): Promise<Pending[]> =>
    (await dashboard.run<Pending[]>('getInvitations')).filter(({ region }) => region === 'venus');
  const enrol = (token: string, keys: string) => {
    const hash = hashInvitationSecret(decodeInvitation(token)?.secret ?? '');
    return enrolByInvitation(pool, hash, { keyHash: keys.repeat(32), natsUser: keys });
  };

  it('are listed while they can be used, and tell no secret', async () => {
    const [used, kept, expired] = [await invite('Used'), await invite('Kept'), await invite('Expired')];
    expect((await pending()).map(({ name }) => name)).toEqual(['Used', 'Kept', 'Expired']);
    expect(await enrol(used.token, 'a1')).toMatchObject({ agent: { name: 'Used' } });
    await pool.query(`update agent_invitations set expires_at = clock_timestamp() where name = 'Expired'`);
    const [only, ...others] = await pending();
    expect(others).toEqual([]);
    expect(only).toEqual({
      ...{ name: 'Kept', region: 'venus', expires_at: kept.expires_at },
      created_at: expect.stringMatching(/\.\d{3}Z$/) as string,
    });
    expect(await enrol(expired.token, 'a2')).toHaveProperty('problem');
  });

  it('are withdrawn, all of one name, and are good for nothing then', async () => {
    const [first, second] = [await invite('Twice'), await invite('Twice')];
    expect(await dashboard.run('withdrawInvitation', { name: ' Twice ' })).toEqual({ success: true });
    expect((await pending()).map(({ name }) => name)).not.toContain('Twice');
    for (const { token } of [first, second])
      expect(await enrol(token, 'a3')).toEqual({ problem: 'the invitation is unknown or has expired' });
    const refused = async (name: string): Promise<unknown> =>
      failureOf(await dashboard.ask('withdrawInvitation', { name }));
    expect(await refused('Twice')).toEqual([404, "No invitation of agent 'Twice' is pending"]);
    // Who has come is an agent, and is revoked.
    expect(await refused('Used')).toEqual([404, "No invitation of agent 'Used' is pending"]);
  });
});

describe('agents', () => {
  interface Agent {
    name: string;
    region: string;
    revoked_at: string | null;
  }

  it('are listed, named anew and revoked', async () => {
    await addRegion(pool, 'asia');
    await addRegion(pool, 'africa');
    const named = async (): Promise<Agent[]> =>
      (await dashboard.run<Agent[]>('getAgents')).filter(({ region }) => region.startsWith('a'));
    expect(await named()).toMatchObject([{ name: 'asia-1' }, { name: 'africa-1' }]);
    expect(await dashboard.run('renameAgent', { name: 'asia-1', new_name: ' Tokyo ' })).toEqual({ success: true });
    expect(await dashboard.run('revokeAgent', { name: 'africa-1' })).toEqual({ success: true });
    const [kept, revoked] = await named();
    expect(kept).toMatchObject({ name: 'Tokyo', revoked_at: null });
    expect(revoked?.revoked_at).toMatch(/\.\d{3}Z$/);
    const ask = async (action: string, data: object): Promise<unknown> => failureOf(await dashboard.ask(action, data));
    expect(await ask('renameAgent', { name: 'Tokyo', new_name: 'africa-1' })).toEqual([
      400,
      "Agent 'africa-1' already exists",
    ]);
    expect(await ask('renameAgent', { name: 'asia-1', new_name: 'x' })).toEqual([404, "Agent 'asia-1' not found"]);
    expect(await ask('revokeAgent', { name: 'africa-1' })).toEqual([404, "Agent 'africa-1' not found"]);
    expect(await ask('revokeAgent', { name: 'a\0' })).toEqual([
      400,
      'name must not contain NUL or unpaired surrogates',
    ]);
  });

  it('belong to regions', async () => {
    const regions = await dashboard.run<{ name: string }[]>('getRegions');
    expect(regions.map(({ name }) => name)).toEqual(regions.map(({ name }) => name).toSorted());
    expect(regions).toContainEqual(expect.objectContaining({ name: 'asia', agents: 1 }));
  });
});

import type pg from 'pg';
import type { AgentState } from '../../core/agent-state.ts';
import type { RegionalResult } from '../../core/result.ts';
import { createInvitation } from '../../db/agent-invitations.ts';
import type { ApiClient } from './api-client.ts';
import { addRegion, resultOf, storeResults } from './monitoring-fixture.ts';

/** A service in full use, for everything that is looked at: what is up and what is not, measured from three regions. */

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const SHOP_LATENCY_US = { ap: 182_000, eu: 23_000, us: 96_000 };
/** When the shop could not be reached, seconds ago. */
const OUTAGE = { from: 3 * HOUR, until: 2.4 * HOUR };

const STATE: AgentState = {
  ...{ capabilities: ['PING', 'TCP', 'DNS'], monitors: 6, assigned: 6, epoch: '', generation: 1 },
  ...{ spoolResults: 0, spoolBytes: 0, spoolOldest: null, clockOffsetUs: 1800 },
  ...{ certificateExpires: Math.floor(Date.now() / 1000) + 300 * DAY, unknownLastHour: {}, counters: {}, problems: [] },
};

/** Fills the service behind `api` and its database. */
export async function fillDashboard(api: ApiClient, pool: pg.Pool, hours = 6): Promise<void> {
  const now = Math.floor(Date.now() / 60_000) * MINUTE;
  const regions = await addRegions(pool);
  await addMonitors(api);
  await measureShop(pool, regions, now, hours);
  await writePoints(api, now);
  await createInvitation(pool, {
    ...{ region: 'us', name: 'us-cellar', lifetimeSeconds: DAY },
    secretHash: Buffer.from('nobody knows it'),
  });
  await reportIncidents(api, now);
  await planMaintenances(api, now);
  await api.patch('/api/v4/pages/~home', {
    ...{
      page_title: 'Example',
      page_header: 'How our services are doing',
      page_subheader: 'We look **every minute**.',
    },
    monitors: ['shop', 'payments', 'mail', 'names'],
  });
  await api.post('/api/v4/pages', {
    ...{ page_path: 'payments', page_title: 'Payments', page_header: 'Payments', monitors: ['payments'] },
  });
}

type Regions = Record<keyof typeof SHOP_LATENCY_US, { regionId: number; agentId: number }>;

async function addRegions(pool: pg.Pool): Promise<Regions> {
  const seen = new Date().toISOString();
  const [ap, eu] = [await addRegion(pool, 'ap', seen), await addRegion(pool, 'eu', seen)];
  const us = await addRegion(pool, 'us', null);
  const tell = (agentId: number, state: Partial<AgentState>): Promise<unknown> =>
    pool.query('update agents set status = $2, version = $3 where id = $1', [agentId, { ...STATE, ...state }, '0.1.0']);
  await tell(ap.agentId, {});
  await tell(eu.agentId, {
    ...{ spoolResults: 12, spoolBytes: 4000, spoolOldest: Math.floor(Date.now() / 1000) - 40 },
    ...{ unknownLastHour: { stalled: 3 }, problems: ['The system does not permit raw sockets: PING cannot measure'] },
  });
  return { ap, eu, us };
}

async function addMonitors(api: ApiClient): Promise<void> {
  const host = { type: 'IP4', host: '127.0.0.1' };
  const tcp = { monitor_type: 'TCP', type_data: { hosts: [{ ...host, port: 443, timeout: 1000 }] } };
  const ping = { monitor_type: 'PING', type_data: { hosts: [{ ...host, timeout: 1000, count: 3 }] } };
  const dns = { monitor_type: 'DNS', type_data: { host: 'example.com', lookupRecord: 'A', values: ['127.0.0.1'] } };
  for (const monitor of [
    { tag: 'shop', name: 'Web shop', description: 'What customers see first.', category_name: 'Customers', ...tcp },
    { tag: 'payments', name: 'Payments', category_name: 'Customers', ...tcp },
    { tag: 'mail', name: 'Mail', ...ping },
    { tag: 'names', name: 'Names of all our hosts in the data centre', ...dns },
    { tag: 'site', name: 'Site', monitor_type: 'API', type_data: { url: 'http://127.0.0.1/', odd: { deep: [1] } } },
    { tag: 'ledger', name: 'Ledger', is_hidden: 'YES', ...tcp },
    { tag: 'old-shop', name: 'Old shop', status: 'INACTIVE', ...tcp },
  ])
    await api.post('/api/v4/monitors', monitor);
}

async function measureShop(pool: pg.Pool, regions: Regions, now: number, hours: number): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(`select id from monitors where tag = 'shop'`);
  const monitorId = rows[0]?.id ?? NaN;
  const results: RegionalResult[] = [];
  for (let minute = now - hours * HOUR; minute < now; minute += MINUTE)
    for (const name of ['ap', 'eu', 'us'] as const) {
      const isOut = now - minute <= OUTAGE.from && now - minute > OUTAGE.until;
      const sway = Math.sin(minute / 1700) * 0.15 + (((minute / MINUTE) * 7919) % 100) / 700;
      const latencyUs = Math.round(SHOP_LATENCY_US[name] * (1 + sway));
      const down = { status: 'DOWN', latencyUs: null, error: 'Host 127.0.0.1:443 is timeout' } as const;
      const isDown = isOut && (name !== 'ap' || now - minute < OUTAGE.from - 10 * MINUTE);
      results.push(resultOf({ monitorId, minute, ...regions[name], latencyUs, ...(isDown && down) }));
    }
  await storeResults(pool, results);
}

async function writePoints(api: ApiClient, now: number): Promise<void> {
  const write = (tag: string, from: number, to: number, status: string, latency: number): Promise<unknown> =>
    api.patch(`/api/v4/monitors/${tag}/data`, { start_ts: from, end_ts: to, status, latency });
  await write('payments', now - 2 * DAY, now - HOUR, 'UP', 31);
  await write('payments', now - HOUR, now + 10 * MINUTE, 'DOWN', 0);
  await write('mail', now - DAY, now - 20 * MINUTE, 'UP', 4.2);
  await write('mail', now - 20 * MINUTE, now + 10 * MINUTE, 'DEGRADED', 870);
  await write('ledger', now - DAY, now + 10 * MINUTE, 'UP', 11);
}

async function reportIncidents(api: ApiClient, now: number): Promise<void> {
  const report = async (fields: object, comments: readonly (readonly [string, string, number])[]): Promise<void> => {
    const { body } = await api.post('/api/v4/incidents', fields);
    // What the API's own tests hold.
    const { incident } = body as { incident: { id: number } };
    for (const [state, comment, timestamp] of comments)
      await api.post(`/api/v4/incidents/${incident.id}/comments`, { state, comment, timestamp });
  };
  const monitors = [{ monitor_tag: 'payments', impact: 'DOWN' }];
  await report({ title: 'Cards are refused', start_date_time: now - HOUR, monitors }, [
    ['INVESTIGATING', 'Payments do not answer; we are looking into it.', now - HOUR],
    ['IDENTIFIED', 'A disk is full at our provider. Orders are kept and paid later.', now - HOUR / 2],
  ]);
  await report({ title: 'Shop unreachable', start_date_time: now - OUTAGE.from }, [
    ['INVESTIGATING', 'The shop cannot be reached.', now - OUTAGE.from],
    ['RESOLVED', 'A router was replaced.', now - 2 * HOUR],
  ]);
}

async function planMaintenances(api: ApiClient, now: number): Promise<void> {
  const monitors = [{ monitor_tag: 'shop', impact: 'MAINTENANCE' }];
  const weekly = { rrule: 'FREQ=WEEKLY;BYDAY=SU', timezone: 'Europe/Berlin', duration_seconds: HOUR, monitors };
  const start_date_time = now + DAY;
  await api.post('/api/v4/maintenances', { title: 'New certificates', start_date_time, ...weekly });
  await api.post('/api/v4/maintenances', {
    ...{ title: 'Disks at the mail host', description: 'Mail is late, none is lost.' },
    ...{ start_date_time: now - 10 * MINUTE, rrule: 'FREQ=DAILY;COUNT=1', duration_seconds: HOUR },
    monitors: [{ monitor_tag: 'mail', impact: 'DEGRADED' }],
  });
}

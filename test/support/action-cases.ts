import { createInvitation } from '../../db/agent-invitations.ts';
import { createAgent } from '../../db/agents.ts';
import type { Dashboard } from './dashboard.ts';
import { unusedTag } from './api-monitors.ts';
import { addRole, addUser } from './people.ts';

/** Data with which an action succeeds once, made for it alone. */
export type ActionCase = (make: Maker) => Promise<object> | object;

/** Makes what actions are about, each time another. */
export interface Maker {
  tag(): Promise<string>;
  incident(): Promise<number>;
  maintenance(): Promise<number>;
  event(): Promise<number>;
  page(tags?: string[]): Promise<number>;
  role(): Promise<string>;
  user(...roleIds: string[]): Promise<number>;
  key(): Promise<number>;
  agent(): Promise<string>;
  /** Of an agent of that name. */
  invitation(): Promise<string>;
  run: Dashboard['run'];
}

export function makerOn(dashboard: Dashboard): Maker {
  const { api, database } = dashboard.test;
  const { pool } = database;
  const create = async (path: string, body: object): Promise<number> => {
    const answer = await api.post(path, body);
    // One resource under its own name, held against the document by the client.
    return Object.values(answer.body as Record<string, { id: number }>)[0]?.id ?? NaN;
  };
  const maker: Maker = {
    run: (action, data) => dashboard.run(action, data),
    async tag() {
      const tag = unusedTag();
      await create('/api/v4/monitors', { tag, name: tag, monitor_type: 'NONE' });
      return tag;
    },
    incident: () => create('/api/v4/incidents', { title: 'An incident', start_date_time: 600 }),
    maintenance: () =>
      create('/api/v4/maintenances', {
        ...{ title: 'A maintenance', rrule: 'FREQ=DAILY;COUNT=3', duration_seconds: 3600 },
        start_date_time: Math.floor(Date.now() / 60_000) * 60 + 86_400,
      }),
    async event() {
      const maintenance_id = await maker.maintenance();
      const [event] = await dashboard.run<{ id: number }[]>('getMaintenanceEvents', { maintenance_id });
      return event?.id ?? NaN;
    },
    page: (monitors = []) =>
      create('/api/v4/pages', { page_path: unusedTag(), page_title: 'T', page_header: 'H', monitors }),
    role: () => addRole(pool, unusedTag()),
    user: (...roleIds) => addUser(pool, `${unusedTag()}@example.com`, ...roleIds),
    async agent() {
      const name = unusedTag();
      await createAgent(pool, name, 'eu');
      return name;
    },
    async invitation() {
      const name = unusedTag();
      await createInvitation(pool, { region: 'eu', name, secretHash: Buffer.from(name), lifetimeSeconds: 600 });
      return name;
    },
    async key() {
      const name = unusedTag();
      const { rows } = await pool.query<{ id: number }>(
        `insert into api_keys (name, key_hash, masked_key, role_id)
         values ($1::text, $1::text::bytea, '*', $2) returning id`,
        [name, await maker.role()],
      );
      return rows[0]?.id ?? NaN;
    },
  };
  return maker;
}

const NONE: ActionCase = () => ({});
const WINDOW = { start_date_time: 6000, end_date_time: 12_000 };
const SPAN = { start_ts: 6000, end_ts: 12_000 };
const RANGE = () => ({ start: Math.floor(Date.now() / 60_000) * 60 - 600, end: Math.floor(Date.now() / 60_000) * 60 });

const onIncident: ActionCase = async (make) => ({ incident_id: await make.incident() });
const onMaintenance: ActionCase = async (make) => ({ id: await make.maintenance() });
const onEvent: ActionCase = async (make) => ({ id: await make.event() });
const onRole: ActionCase = async (make) => ({ role_id: await make.role() });
const onUser: ActionCase = async (make) => ({ user_id: await make.user() });

/** Actions that need agents, and so are tested where there are some. */
export const TRIED_ELSEWHERE = { testMonitor: { monitor_id: 2_000_000_000 }, inviteAgent: { region: 'eu' } };

/** Every other action that asks for a permission, with data that it takes from somebody who has no other. */
export const ACTION_CASES: Readonly<Record<string, ActionCase>> = {
  getAPIKeys: NONE,
  createNewApiKey: async (make) => ({ name: unusedTag(), role_id: await make.role() }),
  updateApiKeyStatus: async (make) => ({ id: await make.key(), status: 'INACTIVE' }),
  deleteApiKey: async (make) => ({ id: await make.key() }),
  getRoles: NONE,
  getAllPermissions: NONE,
  getRolePermissions: onRole,
  getRoleUsers: onRole,
  createRole: () => ({ id: unusedTag(), name: 'A role' }),
  updateRole: async (make) => ({ role_id: await make.role(), name: 'Another' }),
  deleteRole: onRole,
  updateRolePermissions: async (make) => ({
    role_id: await make.role(),
    permissions: ['roles.assign_permissions'],
  }),
  addUserToRole: async (make) => ({ role_id: await make.role(), user_id: await make.user() }),
  removeUserFromRole: async (make) => {
    const role_id = await make.role();
    return { role_id, user_id: await make.user(role_id) };
  },
  getAllSiteData: NONE,
  getSiteDataByKey: () => ({ key: 'siteName' }),
  storeSiteData: () => ({ siteName: 'Ours' }),
  getUsers: NONE,
  createNewUser: async (make) => ({
    ...{ email: `${unusedTag()}@example.com`, name: 'New' },
    role_ids: [await make.role()],
  }),
  resendInvitation: onUser,
  manualUpdate: onUser,

  getDashboardOverview: NONE,
  getAgents: NONE,
  getRegions: NONE,
  getInvitations: NONE,
  withdrawInvitation: async (make) => ({ name: await make.invitation() }),
  renameAgent: async (make) => ({ name: await make.agent(), new_name: unusedTag() }),
  revokeAgent: async (make) => ({ name: await make.agent() }),

  getMonitors: NONE,
  getMonitorsPaginated: NONE,
  getMonitorNames: NONE,
  getMonitor: async (make) => ({ tag: await make.tag() }),
  getMonitorSummary: async (make) => ({ tag: await make.tag(), ...SPAN }),
  getMonitorData: async (make) => ({ tag: await make.tag(), ...SPAN }),
  storeMonitorData: () => ({ tag: unusedTag(), name: 'A monitor', monitor_type: 'NONE' }),
  cloneMonitor: async (make) => ({ sourceTag: await make.tag(), newTag: unusedTag(), newName: 'A clone' }),
  deleteMonitor: async (make) => ({ tag: await make.tag() }),
  getMonitoringDataPaginated: async (make) => ({ monitor_tag: await make.tag() }),
  updateMonitoringData: async (make) => ({ monitor_tag: await make.tag(), ...RANGE(), newStatus: 'UP' }),
  deleteMonitorData: async (make) => ({ tag: await make.tag(), ...RANGE() }),

  getIncidents: NONE,
  getIncident: onIncident,
  createIncident: () => ({ title: 'An incident', start_date_time: 600 }),
  updateIncident: async (make) => ({ id: await make.incident(), title: 'Another' }),
  deleteIncident: onIncident,
  addMonitor: async (make) => ({
    ...{ incident_id: await make.incident(), monitor_tag: await make.tag() },
    monitor_impact: 'DOWN',
  }),
  removeMonitor: async (make) => {
    const data = { incident_id: await make.incident(), monitor_tag: await make.tag() };
    await make.run('addMonitor', { ...data, monitor_impact: 'DOWN' });
    return data;
  },
  getComments: onIncident,
  addComment: async (make) => ({ incident_id: await make.incident(), comment: 'We look', state: 'IDENTIFIED' }),
  updateComment: async (make) => ({ ...(await comment(make)), comment: 'We see' }),
  deleteComment: comment,

  getMaintenances: NONE,
  getAllMaintenanceEvents: NONE,
  previewRecurrence: () => ({ start_date_time: 600, rrule: 'FREQ=DAILY', duration_seconds: 60 }),
  getMaintenance: onMaintenance,
  getMaintenanceMonitors: async (make) => ({ maintenance_id: await make.maintenance() }),
  createMaintenance: () => ({
    title: 'A maintenance',
    start_date_time: 600,
    rrule: 'FREQ=DAILY;COUNT=1',
    duration_seconds: 60,
  }),
  updateMaintenance: async (make) => ({ id: await make.maintenance(), title: 'Another' }),
  deleteMaintenance: onMaintenance,
  addMonitorToMaintenance: async (make) => ({
    maintenance_id: await make.maintenance(),
    monitor_tag: await make.tag(),
  }),
  removeMonitorFromMaintenance: monitorOfMaintenance,
  updateMaintenanceMonitorImpact: async (make) => ({ ...(await monitorOfMaintenance(make)), monitor_impact: 'UP' }),
  getMaintenanceEvents: async (make) => ({ maintenance_id: await make.maintenance() }),
  getMaintenanceEvent: onEvent,
  createMaintenanceEvent: async (make) => ({ maintenance_id: await make.maintenance(), ...WINDOW }),
  updateMaintenanceEvent: async (make) => ({ id: await make.event(), ...WINDOW }),
  updateMaintenanceEventStatus: async (make) => ({ id: await make.event(), status: 'CANCELLED' }),
  deleteMaintenanceEvent: onEvent,

  getPages: NONE,
  createPage: () => ({ page_path: unusedTag(), page_title: 'T', page_header: 'H' }),
  previewPage: async (make) => ({ page: { id: await make.page(), page_title: 'Another' } }),
  updatePage: async (make) => ({ id: await make.page(), page_title: 'Another' }),
  deletePage: async (make) => ({ id: await make.page() }),
  addMonitorToPage: async (make) => ({ page_id: await make.page(), monitor_tag: await make.tag() }),
  removeMonitorFromPage: async (make) => {
    const monitor_tag = await make.tag();
    return { page_id: await make.page([monitor_tag]), monitor_tag };
  },
  reorderPageMonitors: async (make) => {
    const tags = [await make.tag(), await make.tag()];
    return { page_id: await make.page(tags), monitor_tags: tags.reverse() };
  },
};

async function comment(make: Maker): Promise<{ incident_id: number; comment_id: number }> {
  const incident_id = await make.incident();
  const { id } = await make.run<{ id: number }>('addComment', { incident_id, comment: 'We look', state: 'IDENTIFIED' });
  return { incident_id, comment_id: id };
}

async function monitorOfMaintenance(make: Maker): Promise<{ maintenance_id: number; monitor_tag: string }> {
  const data = { maintenance_id: await make.maintenance(), monitor_tag: await make.tag() };
  await make.run('addMonitorToMaintenance', data);
  return data;
}

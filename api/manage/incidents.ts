import { z } from 'zod';
import {
  dashboardIncident,
  dashboardIncidentPatch,
  INCIDENT_STATUSES,
  newDashboardIncident,
  toDashboardIncident,
} from '../../core/dashboard-incident.ts';
import { INCIDENT_STATES } from '../../core/incident.ts';
import { monitorImpact, monitorTag, withReference } from '../../core/monitor-reference.ts';
import { rowId } from '../../core/row-id.ts';
import { deleteIncident, findIncidentRecord, listIncidentRecords } from '../../db/incidents.ts';
import { withoutReference } from '../services/monitor-references.ts';
import { createIncident, incidentNotFound, patchIncident } from '../services/write-incident.ts';
import { ACKNOWLEDGED, acknowledged, ONE_ROW, oneRow } from './acknowledged.ts';
import { action } from './action.ts';
import { filterOf } from './filter.ts';
import { paging } from './paging.ts';

const incident_id = rowId('incident_id');

export const incidentActions = [
  action({
    name: 'getIncidents',
    permission: 'incidents.read',
    summary: 'List incidents, newest first',
    data: z.object({
      ...paging(10, 100),
      filter: z
        .object({ status: filterOf(INCIDENT_STATUSES), state: filterOf(INCIDENT_STATES) })
        .partial()
        .optional(),
    }),
    result: z.object({ incidents: z.array(dashboardIncident), total: z.int() }),
    run: async ({ filter = {}, ...part }, { db }) => {
      const { incidents, total } = await listIncidentRecords(db, filter, part);
      return { incidents: incidents.map(toDashboardIncident), total };
    },
  }),
  action({
    name: 'getIncident',
    permission: 'incidents.read',
    summary: 'Get an incident',
    data: z.object({ incident_id }),
    result: dashboardIncident,
    run: async ({ incident_id: id }, { db }) => {
      const incident = await findIncidentRecord(db, id);
      if (!incident) throw incidentNotFound(id);
      return toDashboardIncident(incident);
    },
  }),
  action({
    name: 'createIncident',
    permission: 'incidents.write',
    summary: 'Open an incident',
    data: newDashboardIncident,
    result: z.object({ incident_id: z.int() }),
    run: async (fields, { db }) => ({ incident_id: (await createIncident(db, fields, 'MANUAL')).id }),
  }),
  action({
    name: 'updateIncident',
    permission: 'incidents.write',
    summary: 'Change an incident: what is not named is kept, a null end reopens it',
    data: dashboardIncidentPatch.extend({ id: rowId('id') }),
    result: oneRow,
    about: ({ id }) => ({ incidentId: id }),
    run: async ({ id, ...patch }, { db }) => {
      await patchIncident(db, id, patch);
      return ONE_ROW;
    },
  }),
  action({
    name: 'deleteIncident',
    permission: 'incidents.write',
    summary: 'Delete an incident and its comments',
    data: z.object({ incident_id }),
    result: acknowledged,
    about: ({ incident_id }) => ({ incidentId: incident_id }),
    run: async ({ incident_id: id }, { db }) => {
      if (!(await deleteIncident(db, id))) throw incidentNotFound(id);
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'addMonitor',
    permission: 'incidents.write',
    summary: 'Let an incident name a monitor, or another impact on one it names',
    data: z.object({ incident_id, monitor_tag: monitorTag, monitor_impact: monitorImpact }),
    result: z.array(oneRow),
    about: ({ incident_id, monitor_tag: tag }) => ({ incidentId: incident_id, tag }),
    run: async ({ incident_id: id, monitor_tag, monitor_impact: impact }, { db }) => {
      await patchIncident(db, id, ({ monitors }) => ({ monitors: withReference(monitors, { monitor_tag, impact }) }));
      return [ONE_ROW];
    },
  }),
  action({
    name: 'removeMonitor',
    permission: 'incidents.write',
    summary: 'Let an incident name a monitor no more',
    data: z.object({ incident_id, monitor_tag: monitorTag }),
    result: oneRow,
    about: ({ incident_id, monitor_tag: tag }) => ({ incidentId: incident_id, tag }),
    run: async ({ incident_id: id, monitor_tag: tag }, { db }) => {
      await patchIncident(db, id, ({ monitors }) => ({ monitors: withoutReference(monitors, tag, 'incident') }));
      return ONE_ROW;
    },
  }),
];

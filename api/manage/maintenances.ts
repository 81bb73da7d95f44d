import { z } from 'zod';
import {
  dashboardMaintenance,
  dashboardMaintenancePatch,
  newDashboardMaintenance,
  toDashboardMaintenance,
} from '../../core/dashboard-maintenance.ts';
import { MAINTENANCE_STATUSES, newMaintenanceFields } from '../../core/maintenance.ts';
import {
  impactReference,
  monitorImpact,
  monitorTag,
  toMonitorImpacts,
  withReference,
} from '../../core/monitor-reference.ts';
import { describeRecurrence } from '../../core/recurrence-words.ts';
import { rowId } from '../../core/row-id.ts';
import { findMaintenanceRecord, listMaintenanceRecords } from '../../db/maintenance-records.ts';
import { deleteMaintenance, findMaintenance } from '../../db/maintenances.ts';
import { nextStarts } from '../services/expand-rule.ts';
import { requireReference, withoutReference } from '../services/monitor-references.ts';
import {
  changeMaintenanceMonitors,
  createMaintenance,
  maintenanceNotFound,
  patchMaintenance,
} from '../services/write-maintenance.ts';
import { ACKNOWLEDGED, acknowledged } from './acknowledged.ts';
import { action } from './action.ts';
import { filterOf } from './filter.ts';
import { paging } from './paging.ts';

const id = rowId('id');
const maintenance_id = rowId('maintenance_id');

export const maintenanceActions = [
  action({
    name: 'getMaintenances',
    permission: 'maintenances.read',
    summary: 'List maintenances with their events around now, newest first',
    data: z.object({
      ...paging(10, 100),
      filter: z
        .object({ status: filterOf(MAINTENANCE_STATUSES) })
        .partial()
        .optional(),
    }),
    result: z.object({ maintenances: z.array(dashboardMaintenance), total: z.int() }),
    run: async ({ filter = {}, ...part }, { db }) => {
      const { maintenances, total } = await listMaintenanceRecords(db, filter, part);
      return { maintenances: maintenances.map(toDashboardMaintenance), total };
    },
  }),
  action({
    name: 'getMaintenance',
    permission: 'maintenances.read',
    summary: 'Get a maintenance with its events around now',
    data: z.object({ id }),
    result: dashboardMaintenance,
    run: async ({ id }, { db }) => {
      const maintenance = await findMaintenanceRecord(db, id);
      if (!maintenance) throw maintenanceNotFound(id);
      return toDashboardMaintenance(maintenance);
    },
  }),
  action({
    name: 'getMaintenanceMonitors',
    permission: 'maintenances.read',
    summary: 'List the monitors that a maintenance names',
    data: z.object({ maintenance_id }),
    result: z.array(impactReference),
    run: async ({ maintenance_id: id }, { db }) => {
      const maintenance = await findMaintenance(db, id);
      if (!maintenance) throw maintenanceNotFound(id);
      return toMonitorImpacts(maintenance.monitors);
    },
  }),
  action({
    name: 'previewRecurrence',
    permission: 'maintenances.read',
    summary: 'Say a rule in words and when its next windows are; nothing is stored',
    data: newMaintenanceFields
      .pick({ start_date_time: true, rrule: true, duration_seconds: true, timezone: true })
      .extend({ limit: paging(5, 50).limit }),
    result: z.object({
      text: z.string().meta({ examples: ['every week on Sunday'] }),
      occurrences: z
        .array(z.object({ start_date_time: z.int(), end_date_time: z.int() }))
        .meta({ description: 'Windows that are not over; fewer than asked for where the rule ends' }),
    }),
    run: async ({ limit, timezone = 'UTC', ...fields }, { pool: db, recurrence }) => {
      const starts = await nextStarts({ db, recurrence }, { ...fields, timezone }, limit);
      return {
        text: describeRecurrence(fields.rrule) ?? '',
        occurrences: starts.map((start) => {
          return { start_date_time: start, end_date_time: start + fields.duration_seconds };
        }),
      };
    },
  }),
  action({
    name: 'createMaintenance',
    permission: 'maintenances.write',
    summary: 'Plan a maintenance: one event for each occurrence of its rule',
    data: newDashboardMaintenance,
    result: z.object({ maintenance_id: z.int() }),
    run: async (fields, context) => ({ maintenance_id: (await createMaintenance(context, fields)).id }),
  }),
  action({
    name: 'updateMaintenance',
    permission: 'maintenances.write',
    summary: 'Change a maintenance: what is not named is kept, another schedule replaces the scheduled events to come',
    data: dashboardMaintenancePatch.extend({ id }),
    result: acknowledged,
    about: ({ id }) => ({ maintenanceId: id }),
    run: async ({ id, ...patch }, context) => {
      await patchMaintenance(context, id, patch);
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'deleteMaintenance',
    permission: 'maintenances.write',
    summary: 'Delete a maintenance and its events',
    data: z.object({ id }),
    result: acknowledged,
    about: ({ id }) => ({ maintenanceId: id }),
    run: async ({ id }, { db }) => {
      if (!(await deleteMaintenance(db, id))) throw maintenanceNotFound(id);
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'addMonitorToMaintenance',
    permission: 'maintenances.write',
    summary: 'Let a maintenance name a monitor',
    data: z.object({ maintenance_id, monitor_tag: monitorTag, monitor_impact: monitorImpact.optional() }),
    result: acknowledged,
    about: ({ maintenance_id, monitor_tag: tag }) => ({ maintenanceId: maintenance_id, tag }),
    run: async ({ maintenance_id: id, monitor_tag, monitor_impact: impact = 'MAINTENANCE' }, { db }) => {
      await changeMaintenanceMonitors(db, id, (monitors) => withReference(monitors, { monitor_tag, impact }));
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'removeMonitorFromMaintenance',
    permission: 'maintenances.write',
    summary: 'Let a maintenance name a monitor no more',
    data: z.object({ maintenance_id, monitor_tag: monitorTag }),
    result: acknowledged,
    about: ({ maintenance_id, monitor_tag: tag }) => ({ maintenanceId: maintenance_id, tag }),
    run: async ({ maintenance_id: id, monitor_tag: tag }, { db }) => {
      await changeMaintenanceMonitors(db, id, (monitors) => withoutReference(monitors, tag, 'maintenance'));
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'updateMaintenanceMonitorImpact',
    permission: 'maintenances.write',
    summary: 'Give another impact to a monitor that a maintenance names',
    data: z.object({ maintenance_id, monitor_tag: monitorTag, monitor_impact: monitorImpact }),
    result: acknowledged,
    about: ({ maintenance_id, monitor_tag: tag }) => ({ maintenanceId: maintenance_id, tag }),
    run: async ({ maintenance_id: id, monitor_tag, monitor_impact: impact }, { db }) => {
      await changeMaintenanceMonitors(db, id, (monitors) => {
        requireReference(monitors, monitor_tag, 'maintenance');
        return withReference(monitors, { monitor_tag, impact });
      });
      return ACKNOWLEDGED;
    },
  }),
];

import { z } from 'zod';
import {
  MAINTENANCE_STATUSES,
  maintenancePatch,
  maintenanceResource,
  newMaintenance,
  type Maintenance,
} from '../../core/maintenance.ts';
import { parsePathId } from '../../core/path-id.ts';
import { deleteMaintenance, findMaintenance, listMaintenances } from '../../db/maintenances.ts';
import type { Context } from '../context.ts';
import { route } from '../http/route.ts';
import { checkReferences } from '../services/monitor-references.ts';
import { createMaintenance, maintenanceNotFound, patchMaintenance } from '../services/write-maintenance.ts';

const maintenanceAnswer = z.object({ maintenance: maintenanceResource });

/** The references come last among the fields, so every other fault is told before an unknown tag. */
const bodyCheck = {
  after: ['title', 'start_date_time', 'rrule', 'duration_seconds', 'description', 'status', 'timezone'],
  check: checkReferences,
};

/** The maintenance a path names, or its absence. */
export async function maintenanceInPath(path: { maintenance_id: string }, { db }: Context): Promise<Maintenance> {
  const id = parsePathId(path.maintenance_id);
  const maintenance = id && (await findMaintenance(db, id));
  if (!maintenance) throw maintenanceNotFound(id ?? path.maintenance_id);
  return maintenance;
}

export const maintenanceRoutes = [
  route({
    method: 'GET',
    path: '/api/v4/maintenances',
    summary: 'List maintenances, newest first',
    permission: 'maintenances.read',
    query: z.object({
      status: z
        .enum(MAINTENANCE_STATUSES)
        .optional()
        .catch(undefined)
        .meta({ description: 'Another value means no filter' }),
      monitor_tag: z
        .string()
        .transform((tag) => tag.replaceAll('\0', '\u{FFFF}'))
        .optional(),
    }),
    response: z.object({ maintenances: z.array(maintenanceResource) }),
    handler: async ({ query }, { db }) => ({ maintenances: await listMaintenances(db, query) }),
  }),
  route({
    method: 'POST',
    path: '/api/v4/maintenances',
    summary: 'Plan a maintenance: one event for each occurrence of its rule',
    permission: 'maintenances.write',
    status: 201,
    body: newMaintenance,
    example: {
      title: 'Weekly restart',
      start_date_time: 1_795_082_400,
      rrule: 'FREQ=WEEKLY;BYDAY=SU',
      duration_seconds: 3600,
      timezone: 'Europe/Berlin',
      monitors: [],
    },
    bodyCheck,
    response: maintenanceAnswer,
    handler: async ({ body }, context) => ({ maintenance: await createMaintenance(context, body) }),
  }),
  route({
    method: 'GET',
    path: '/api/v4/maintenances/{maintenance_id}',
    summary: 'Get a maintenance',
    permission: 'maintenances.read',
    resource: maintenanceInPath,
    response: maintenanceAnswer,
    handler: async ({ resource }) => ({ maintenance: resource }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v4/maintenances/{maintenance_id}',
    summary: 'Change a maintenance: what is not named is kept, another schedule replaces the scheduled events to come',
    permission: 'maintenances.write',
    resource: maintenanceInPath,
    body: maintenancePatch,
    example: { duration_seconds: 7200 },
    bodyCheck,
    response: maintenanceAnswer,
    handler: async ({ resource, body }, context) => ({
      maintenance: await patchMaintenance(context, resource.id, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v4/maintenances/{maintenance_id}',
    summary: 'Delete a maintenance and its events',
    permission: 'maintenances.write',
    resource: maintenanceInPath,
    response: z.object({ message: z.string() }),
    handler: async ({ resource: { id } }, { db }) => {
      if (!(await deleteMaintenance(db, id))) throw maintenanceNotFound(id);
      return { message: `Maintenance with id '${id}' deleted successfully` };
    },
  }),
];

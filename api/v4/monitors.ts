import { z } from 'zod';
import { monitorPatch, monitorResource, newMonitor } from '../../core/monitor.ts';
import { deleteMonitor, findMonitor, listMonitors, toMonitor, type MonitorRow } from '../../db/monitors.ts';
import type { Context } from '../context.ts';
import { route } from '../http/route.ts';
import { createMonitor, monitorNotFound, patchMonitor, tagTaken } from '../services/write-monitor.ts';

const monitorAnswer = z.object({ monitor: monitorResource });

/** A filter compares exactly. No stored text holds a NUL, and PostgreSQL takes none: what stands in for it is as unknown. */
const filter = z
  .string()
  .transform((text) => text.replaceAll('\0', '\u{FFFF}'))
  .optional();

/** The monitor a path names, or its absence. */
export async function monitorInPath({ tag }: { tag: string }, { db }: Context): Promise<MonitorRow> {
  const monitor = await findMonitor(db, tag);
  if (!monitor) throw monitorNotFound(tag);
  return monitor;
}

export const monitorRoutes = [
  route({
    method: 'GET',
    path: '/api/v4/monitors',
    summary: 'List monitors, newest first',
    permission: 'monitors.read',
    query: z.object({
      status: filter.meta({ description: 'ACTIVE or INACTIVE' }),
      category_name: filter.meta({ description: '`All Categories` means no filter' }),
      monitor_type: filter,
      is_hidden: filter.meta({ description: 'YES or NO' }),
    }),
    response: z.object({ monitors: z.array(monitorResource) }),
    handler: async ({ query }, { db }) => {
      const category_name = query.category_name === 'All Categories' ? undefined : query.category_name;
      return { monitors: (await listMonitors(db, { ...query, category_name })).map(toMonitor) };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v4/monitors',
    summary: 'Create a monitor',
    permission: 'monitors.write',
    status: 201,
    body: newMonitor,
    example: {
      tag: 'web-eu',
      name: 'Web front',
      monitor_type: 'TCP',
      type_data: { hosts: [{ type: 'DOMAIN', host: 'web.example', port: 443 }] },
    },
    bodyCheck: {
      after: ['tag', 'name'],
      check: async ({ tag }, { db }) => {
        if (typeof tag === 'string' && (await findMonitor(db, tag.trim()))) throw tagTaken(tag.trim());
      },
    },
    response: monitorAnswer,
    handler: async ({ body }, { db }) => ({ monitor: toMonitor(await createMonitor(db, body)) }),
  }),
  route({
    method: 'GET',
    path: '/api/v4/monitors/{tag}',
    summary: 'Get a monitor',
    permission: 'monitors.read',
    resource: monitorInPath,
    response: monitorAnswer,
    handler: async ({ resource }) => ({ monitor: toMonitor(resource) }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v4/monitors/{tag}',
    summary: 'Change a monitor: what is not named is kept',
    permission: 'monitors.write',
    resource: monitorInPath,
    body: monitorPatch,
    example: { status: 'INACTIVE', description: 'Switched off for a while' },
    response: monitorAnswer,
    handler: async ({ resource, body }, { db }) => ({ monitor: toMonitor(await patchMonitor(db, resource, body)) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v4/monitors/{tag}',
    summary: 'Delete a monitor and its data',
    permission: 'monitors.write',
    resource: monitorInPath,
    response: z.object({ message: z.string() }),
    handler: async ({ resource: { id, tag } }, { db }) => {
      if (!(await deleteMonitor(db, id))) throw monitorNotFound(tag);
      return { message: `Monitor '${tag}' deleted successfully` };
    },
  }),
];

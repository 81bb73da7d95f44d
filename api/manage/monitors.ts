import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import { monitorWithTexts, storedMonitor, withTexts } from '../../core/dashboard-monitor.ts';
import { newMonitorFields, replaceFields } from '../../core/monitor.ts';
import { monitorTag } from '../../core/monitor-reference.ts';
import { deleteMonitor, findMonitorById, listMonitors } from '../../db/monitors.ts';
import { cloneMonitor, createMonitor, monitorNotFound, patchMonitor } from '../services/write-monitor.ts';
import { ONE_ROW, oneRow } from './acknowledged.ts';
import { action } from './action.ts';
import { rowId } from './row-id.ts';
import { taggedMonitor } from './tagged-monitor.ts';

/** A filter compares exactly; nothing, as an empty text, is no filter. */
const filter = z
  .string()
  .nullish()
  .transform((text) => text?.replaceAll('\0', '\u{FFFF}') || undefined);

export const monitorActions = [
  action({
    name: 'getMonitors',
    permission: 'monitors.read',
    summary: 'List monitors, newest first, their JSON members as texts',
    data: z.object({
      id: rowId('id').nullish(),
      tag: filter,
      status: filter,
      category_name: filter,
      monitor_type: filter,
      is_hidden: filter,
    }),
    result: z.array(monitorWithTexts),
    run: async ({ id, ...texts }, { db }) => (await listMonitors(db, { ...texts, id: id ?? undefined })).map(withTexts),
  }),
  action({
    name: 'storeMonitorData',
    permission: 'monitors.write',
    summary: 'Make a monitor, or with an id change one: what is not named is kept, what is named is replaced whole',
    data: storedMonitor,
    result: z
      .union([oneRow, z.array(z.int())])
      .meta({ description: 'The id of a new monitor in an array, else the number of rows that changed' }),
    run: async (data, { db }) => {
      if (data.id === null) return [(await createMonitor(db, data)).id];
      const { id, tag, ...patch } = data;
      const current = await findMonitorById(db, id);
      if (!current) throw new AppError('NOT_FOUND', `Monitor with id '${id}' not found`);
      if (tag !== undefined && tag !== current.tag) throw new AppError('BAD_REQUEST', 'tag cannot be changed');
      await patchMonitor(db, current, patch, replaceFields);
      return ONE_ROW;
    },
  }),
  action({
    name: 'cloneMonitor',
    permission: 'monitors.write',
    summary: 'Make a monitor like another; it starts empty',
    data: z.object({
      sourceTag: monitorTag,
      newTag: newMonitorFields.shape.tag,
      newName: newMonitorFields.shape.name,
    }),
    result: z.array(z.int()).meta({ description: 'The id of the new monitor' }),
    run: async ({ sourceTag, newTag, newName }, context) => {
      const source = await taggedMonitor(sourceTag, context);
      return [(await cloneMonitor(context.db, source, { tag: newTag, name: newName })).id];
    },
  }),
  action({
    name: 'deleteMonitor',
    permission: 'monitors.write',
    summary: 'Delete a monitor and its data',
    data: z.object({ tag: monitorTag }),
    result: oneRow,
    run: async ({ tag }, context) => {
      const { id } = await taggedMonitor(tag, context);
      if (!(await deleteMonitor(context.db, id))) throw monitorNotFound(tag);
      return ONE_ROW;
    },
  }),
];

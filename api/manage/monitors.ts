import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import { checkAnswer } from '../../core/check-answer.ts';
import { monitorWithTexts, storedMonitor, testedMonitor, withTexts } from '../../core/dashboard-monitor.ts';
import { newMonitorFields, replaceFields } from '../../core/monitor.ts';
import { monitorTag } from '../../core/monitor-reference.ts';
import { rowId } from '../../core/row-id.ts';
import type { Queryable } from '../../db/client.ts';
import { deleteMonitor, findMonitorById, listMonitors, type MonitorRow } from '../../db/monitors.ts';
import { requestCheck } from '../services/check-request.ts';
import { cloneMonitor, createMonitor, monitorNotFound, patchMonitor } from '../services/write-monitor.ts';
import { ONE_ROW, oneRow } from './acknowledged.ts';
import { action } from './action.ts';
import { textFilter } from './filter.ts';
import { taggedMonitor } from './tagged-monitor.ts';

export const monitorActions = [
  action({
    name: 'getMonitors',
    permission: 'monitors.read',
    summary: 'List monitors, newest first, their JSON members as texts',
    data: z.object({
      id: rowId('id').nullish(),
      tag: textFilter,
      status: textFilter,
      category_name: textFilter,
      monitor_type: textFilter,
      is_hidden: textFilter,
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
    about: ({ id, tag }) => ({ monitorId: id, tag }),
    run: async (data, { db }) => {
      if (data.id === null) return [(await createMonitor(db, data)).id];
      const { id, tag, ...patch } = data;
      const current = await storedById(id, db);
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
    about: ({ sourceTag, newTag }) => ({ tag: sourceTag, newTag }),
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
    about: ({ tag }) => ({ tag }),
    run: async ({ tag }, context) => {
      const { id } = await taggedMonitor(tag, context);
      if (!(await deleteMonitor(context.db, id))) throw monitorNotFound(tag);
      return ONE_ROW;
    },
  }),
  action({
    name: 'testMonitor',
    permission: 'monitors.write',
    summary: 'Run a check once, of a monitor or of a definition that is not saved; nothing of it is stored',
    data: testedMonitor,
    result: checkAnswer,
    about: ({ monitor_id, region }) => ({ monitorId: monitor_id, region }),
    run: async ({ monitor_id, monitor_type, type_data = null, region }, { db, pool, checkAnswers }) => {
      const definition =
        monitor_type === undefined ? await storedById(monitor_id ?? NaN, db) : { monitor_type, type_data };
      return requestCheck({ db: pool, checkAnswers }, { definition, region });
    },
  }),
];

async function storedById(id: number, db: Queryable): Promise<MonitorRow> {
  const monitor = await findMonitorById(db, id);
  if (!monitor) throw new AppError('NOT_FOUND', `Monitor with id '${id}' not found`);
  return monitor;
}

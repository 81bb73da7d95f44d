import { z } from 'zod';
import { monitorResource } from '../../core/monitor.ts';
import { listMonitors } from '../../db/monitors.ts';
import { action } from './action.ts';

/** As the reference answers it: JSON columns as the texts they are stored as (reference §1.6). */
const monitorWithTexts = monitorResource.extend({
  type_data: z.string().nullable(),
  monitor_settings_json: z.string().nullable(),
});

export const monitorActions = [
  action({
    name: 'getMonitors',
    permission: 'monitors.read',
    summary: 'List monitors, newest first, their JSON members as texts',
    data: z.object({}),
    result: z.array(monitorWithTexts),
    run: async (_data, { db }) =>
      (await listMonitors(db, {})).map((monitor) => ({
        ...monitor,
        type_data: monitor.type_data && JSON.stringify(monitor.type_data),
        monitor_settings_json: monitor.monitor_settings_json && JSON.stringify(monitor.monitor_settings_json),
      })),
  }),
];

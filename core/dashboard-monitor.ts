import { z } from 'zod';
import { orJsonText } from './json-text.ts';
import { completeMonitor, monitorPatch, monitorResource, newMonitorFields, type MonitorFields } from './monitor.ts';
import { PUBLIC_STATUSES } from './overall-status.ts';
import { meantFor } from './own-words.ts';
import { rowId } from './row-id.ts';

/** Monitors in the words of the dashboard's endpoint (reference §1.6, §7): JSON members are the texts that are stored. */

export const monitorWithTexts = monitorResource
  .extend({ type_data: z.string().nullable(), monitor_settings_json: z.string().nullable() })
  .meta({ id: 'DashboardMonitor' });

/** The JSON members of a stored monitor as texts. */
export function withTexts<T extends Pick<MonitorFields, 'type_data' | 'monitor_settings_json'>>(monitor: T) {
  const { type_data, monitor_settings_json } = monitor;
  return {
    ...monitor,
    type_data: type_data && JSON.stringify(type_data),
    monitor_settings_json: monitor_settings_json && JSON.stringify(monitor_settings_json),
  };
}

const { type_data, monitor_settings_json } = monitorPatch.shape;
const texts = {
  type_data: orJsonText(type_data.unwrap()).optional(),
  monitor_settings_json: orJsonText(monitor_settings_json.unwrap()).optional(),
};

const changed = monitorPatch.extend({
  ...texts,
  id: rowId('id'),
  tag: z.string('tag must be a string').optional().meta({ description: 'As it is: it cannot be changed' }),
});
const created = newMonitorFields.extend(texts).transform((fields) => ({ id: null, ...completeMonitor(fields) }));

/** The data of `storeMonitorData`: with an id a monitor is changed, without one or with 0 it is made. */
export const storedMonitor = meantFor([changed, created], (input) =>
  typeof input === 'object' && input !== null && 'id' in input && Boolean(input.id) ? changed : created,
);

/** The data of `testMonitor`: a monitor, or a definition that need not have been saved. */
export const testedMonitor = z
  .object({
    monitor_id: rowId('monitor_id').nullish(),
    monitor_type: monitorPatch.shape.monitor_type,
    type_data: texts.type_data.meta({ description: 'With a `monitor_type`: what is run instead of what is saved' }),
    region: z
      .string('region must be a string')
      .nullish()
      .meta({ description: 'Where an agent runs it; without: anywhere' }),
  })
  .superRefine(({ monitor_id, monitor_type }, context) => {
    if (monitor_id || monitor_type !== undefined) return;
    context.addIssue({ code: 'custom', path: ['monitor_id'], message: 'monitor_id is required' });
  });

/** How a monitor is now. */
export const currentReport = z.object({
  status: z.enum(PUBLIC_STATUSES),
  latency: z.number().min(0).nullable().meta({ description: 'Of the newest point, milliseconds' }),
  timestamp: z.int().nullable().meta({ description: 'The newest point, however old' }),
});

export const monitorWithCurrent = monitorResource.extend({
  current: currentReport.meta({ description: 'What is reported now, of a monitor that is hidden or INACTIVE too' }),
});

/** As many of a monitor's versions are shown. */
export const MAX_VERSIONS = 50;

const version = z.object({
  revision: z.int(),
  from_ts: z.int().meta({ description: 'The first minute it holds for' }),
  active: z.boolean(),
  monitor_type: z.string(),
  cron: z.string().nullable(),
  type_data: z.record(z.string(), z.unknown()),
  quorum: z.unknown(),
  regions: z.array(z.string()).nullable(),
});

export const monitorWithVersions = monitorWithCurrent.extend({ versions: z.array(version).max(MAX_VERSIONS) });

const minutes = z.int().min(0);
const step = z.object({
  timestamp: z.int(),
  up: minutes,
  degraded: minutes,
  down: minutes,
  unknown: minutes,
  latency: z.number().min(0).nullable().meta({ description: 'The mean where something answered, milliseconds' }),
});

/** What was measured of a monitor, altogether and by region, in steps that a chart can show. */
export const monitorSeries = z.object({
  step_seconds: z.int(),
  points: z.array(step),
  regions: z.array(z.object({ region: z.string(), points: z.array(step) })),
});
export type MonitorSeries = z.output<typeof monitorSeries>;

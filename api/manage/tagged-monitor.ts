import { findMonitor, type MonitorRow } from '../../db/monitors.ts';
import type { Context } from '../context.ts';
import { monitorNotFound } from '../services/write-monitor.ts';

/** The monitor that an action's data name. Throws NOT_FOUND where there is none. */
export async function taggedMonitor(tag: string, { db }: Pick<Context, 'db'>): Promise<MonitorRow> {
  const monitor = await findMonitor(db, tag);
  if (!monitor) throw monitorNotFound(tag);
  return monitor;
}

import { AppError } from '../../core/app-error.ts';
import {
  mergeMonitor,
  settleMonitor,
  type MonitorFields,
  type MonitorPatch,
  type NewMonitor,
} from '../../core/monitor.ts';
import { unknownRegions } from '../../db/agents.ts';
import { inTransaction, type Database, type Queryable } from '../../db/client.ts';
import { insertMonitor, lockMonitor, updateMonitor, type MonitorRow } from '../../db/monitors.ts';

/** Creates a monitor of checked fields; what spans fields and tables is checked here. */
export async function createMonitor(db: Queryable, fields: NewMonitor): Promise<MonitorRow> {
  const settled = settleMonitor(fields);
  await checkRegions(db, settled);
  const row = await insertMonitor(db, settled);
  if (!row) throw tagTaken(fields.tag);
  return row;
}

/**
 * Changes what the patch names and keeps the rest, also while others change the same monitor. `merge`: how objects come
 * together, see `mergeMonitor` and `replaceFields`.
 */
export function patchMonitor(
  db: Database,
  { id, tag }: Pick<MonitorRow, 'id' | 'tag'>,
  patch: MonitorPatch,
  merge = mergeMonitor,
): Promise<MonitorRow> {
  return inTransaction(db, async (client) => {
    const current = await lockMonitor(client, id);
    const merged = current && settleMonitor(merge(current, patch));
    if (patch.monitor_settings_json && merged) await checkRegions(client, merged);
    const row = merged && (await updateMonitor(client, id, merged));
    if (!row) throw monitorNotFound(tag);
    return row;
  });
}

/** Makes a monitor like another, under a tag and name of its own; it starts empty. */
export function cloneMonitor(
  db: Queryable,
  source: MonitorRow,
  as: { tag: string; name: string },
): Promise<MonitorRow> {
  return createMonitor(db, { ...source, ...as });
}

export function tagTaken(tag: string): AppError {
  return new AppError('BAD_REQUEST', `Monitor with tag '${tag}' already exists`);
}

export function monitorNotFound(tag: string): AppError {
  return new AppError('NOT_FOUND', `Monitor with tag '${tag}' not found`);
}

async function checkRegions(db: Queryable, { monitor_settings_json: settings }: MonitorFields): Promise<void> {
  if (!Array.isArray(settings?.regions)) return;
  const names = settings.regions.map(String);
  const [unknown] = await unknownRegions(db, names);
  if (unknown === undefined) return;
  const message = `Region '${unknown}' does not exist`;
  throw new AppError('BAD_REQUEST', message, { details: [{ path: 'monitor_settings_json.regions', message }] });
}

import type pg from 'pg';
import { AppError } from '../../core/app-error.ts';
import { chooseWindows, type Windows } from '../../core/maintenance-event.ts';
import {
  isSameSchedule,
  type Maintenance,
  type MaintenancePatch,
  type NewMaintenance,
  type Schedule,
} from '../../core/maintenance.ts';
import type { MonitorReference } from '../../core/monitor-reference.ts';
import { inTransaction, type Database } from '../../db/client.ts';
import { readPlanningTime } from '../../db/maintenance-clock.ts';
import { deleteFutureEvents, insertEvents } from '../../db/maintenance-events.ts';
import {
  findMaintenance,
  insertMaintenance,
  lockMaintenance,
  readMaintenance,
  updateMaintenance,
} from '../../db/maintenances.ts';
import type { Services } from '../context.ts';
import { expandRule } from './expand-rule.ts';
import { writeReferences } from './monitor-references.ts';

type Parts = Pick<Services, 'recurrence'> & { db: Database };

/** Creates a maintenance with its references and the events up to the horizon. */
export async function createMaintenance(parts: Parts, fields: NewMaintenance): Promise<Maintenance> {
  const { monitors, ...written } = fields;
  const windows = await planWindows(parts, written);
  return inTransaction(parts.db, async (client) => {
    const planned = { is_global: monitors.length === 0, next_start: windows.next };
    const id = await insertMaintenance(client, { ...written, ...planned });
    await writeReferences(client, 'maintenance_monitors', id, monitors);
    await insertEvents(client, id, windows.starts, written.duration_seconds);
    return stored(await findMaintenance(client, id), id);
  });
}

/**
 * Changes what the patch names and keeps the rest, also while others change the same maintenance. Events are planned before
 * the transaction; where another patch changed the schedule meanwhile, they are planned anew.
 */
export async function patchMaintenance(parts: Parts, id: number, patch: MaintenancePatch): Promise<Maintenance> {
  for (;;) {
    const before = stored(await readMaintenance(parts.db, id), id);
    const schedule = { ...before, ...patch };
    const windows = isSameSchedule(before, schedule) ? null : await planWindows(parts, schedule);
    const patched = await inTransaction(parts.db, (client) => writePatch(client, id, patch, { before, windows }));
    if (patched) return patched;
  }
}

/** Changes which monitors a maintenance names, also while others do; nothing else of it changes. */
export function changeMaintenanceMonitors(
  db: Database,
  id: number,
  change: (references: readonly MonitorReference[]) => readonly MonitorReference[],
): Promise<void> {
  return inTransaction(db, async (client) => {
    const current = stored(await lockMaintenance(client, id), id);
    const monitors = change(stored(await findMaintenance(client, id), id).monitors);
    await updateMaintenance(client, id, { ...current, is_global: monitors.length === 0 });
    await writeReferences(client, 'maintenance_monitors', id, monitors);
  });
}

/** Null where the schedule is no longer the one that was planned for. */
async function writePatch(
  client: pg.PoolClient,
  id: number,
  { monitors, ...fields }: MaintenancePatch,
  { before, windows }: { before: Schedule; windows: Windows | null },
): Promise<Maintenance | null> {
  const current = stored(await lockMaintenance(client, id), id);
  if (!isSameSchedule(current, before)) return null;
  const is_global = monitors ? monitors.length === 0 : current.is_global;
  const next_start = windows ? windows.next : current.next_start;
  const next = { ...current, ...fields, is_global, next_start };
  await updateMaintenance(client, id, next);
  if (monitors) await writeReferences(client, 'maintenance_monitors', id, monitors);
  if (windows) {
    await deleteFutureEvents(client, id);
    await insertEvents(client, id, windows.starts, next.duration_seconds);
  }
  return stored(await findMaintenance(client, id), id);
}

/** The windows of a schedule that are not over, up to the horizon. */
async function planWindows({ db, recurrence }: Parts, schedule: Schedule): Promise<Windows> {
  const { rrule, start_date_time: start, timezone, duration_seconds } = schedule;
  const { now, horizon } = await readPlanningTime(db);
  const from = now - duration_seconds + 1;
  return chooseWindows(await expandRule({ recurrence }, { rrule, start, timezone, from, to: horizon }), now);
}

/** `id`: as the path has it where it is no number. */
export function maintenanceNotFound(id: number | string): AppError {
  return new AppError('NOT_FOUND', `Maintenance with id '${id}' not found`);
}

function stored<T>(maintenance: T | undefined, id: number): T {
  if (!maintenance) throw maintenanceNotFound(id);
  return maintenance;
}

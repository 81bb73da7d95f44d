import { AppError } from '../../core/app-error.ts';
import { canEnd, NOT_AFTER, type EventPatch, type MaintenanceEvent } from '../../core/maintenance-event.ts';
import { inTransaction, type Database } from '../../db/client.ts';
import { deleteEvent, endEvent, findEvent, insertEvent, moveEvent } from '../../db/maintenance-events.ts';
import { lockMaintenance } from '../../db/maintenances.ts';
import { maintenanceNotFound } from './write-maintenance.ts';

/** Makes an event of a maintenance beside those of its rule. */
export function createEvent(
  db: Database,
  maintenanceId: number,
  start: number,
  end: number,
): Promise<MaintenanceEvent> {
  return inTransaction(db, async (client) => {
    if (!(await lockMaintenance(client, maintenanceId))) throw maintenanceNotFound(maintenanceId);
    return insertEvent(client, maintenanceId, start, end);
  });
}

/** Moves or ends one occurrence; the others are not touched. */
export function patchEvent(
  db: Database,
  { maintenance_id, id }: MaintenanceEvent,
  patch: EventPatch,
): Promise<MaintenanceEvent> {
  return inTransaction(db, async (client) => {
    await lockMaintenance(client, maintenance_id);
    const { status, ...times } = stored(await findEvent(client, maintenance_id, id), id);
    if (patch.kind === 'move') {
      const { start = times.start_date_time, end = times.end_date_time } = patch;
      if (end <= start) throw notAfter();
      return stored(await moveEvent(client, id, start, end), id);
    }
    if (!canEnd(status, patch.status))
      throw new AppError('BAD_REQUEST', `Cannot transition event from ${status} to ${patch.status}`);
    return stored(await endEvent(client, id, patch.status), id);
  });
}

/** Deletes one occurrence for good. */
export function removeEvent(db: Database, { maintenance_id, id }: MaintenanceEvent): Promise<void> {
  return inTransaction(db, async (client) => {
    await lockMaintenance(client, maintenance_id);
    if (!(await deleteEvent(client, maintenance_id, id))) throw eventNotFound(id);
  });
}

export function eventNotFound(id: number | string): AppError {
  return new AppError('NOT_FOUND', `Event with id '${id}' not found for this maintenance`);
}

function notAfter(): AppError {
  return new AppError('BAD_REQUEST', NOT_AFTER, { details: [{ path: 'end_date_time', message: NOT_AFTER }] });
}

function stored(event: MaintenanceEvent | undefined, id: number): MaintenanceEvent {
  if (!event) throw eventNotFound(id);
  return event;
}

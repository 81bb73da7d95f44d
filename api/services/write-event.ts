import { AppError } from '../../core/app-error.ts';
import { canEnd, type EventPatch, type MaintenanceEvent } from '../../core/maintenance-event.ts';
import { inTransaction, type Database } from '../../db/client.ts';
import { deleteEvent, endEvent, findEvent, moveEvent } from '../../db/maintenance-events.ts';
import { lockMaintenance } from '../../db/maintenances.ts';

/** Moves or ends one occurrence; the others are not touched. */
export function patchEvent(
  db: Database,
  { maintenance_id, id }: MaintenanceEvent,
  patch: EventPatch,
): Promise<MaintenanceEvent> {
  return inTransaction(db, async (client) => {
    await lockMaintenance(client, maintenance_id);
    const { status } = stored(await findEvent(client, maintenance_id, id), id);
    if (patch.kind === 'move') return stored(await moveEvent(client, id, patch.start, patch.end), id);
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

function stored(event: MaintenanceEvent | undefined, id: number): MaintenanceEvent {
  if (!event) throw eventNotFound(id);
  return event;
}

import { AppError } from '../../core/app-error.ts';
import type { Incident, IncidentPatch, NewIncident } from '../../core/incident.ts';
import { inTransaction, type Database } from '../../db/client.ts';
import { findIncident, insertIncident, lockIncident, updateIncident } from '../../db/incidents.ts';
import { writeReferences } from './monitor-references.ts';

/** Opens an incident with its references. */
export function createIncident(
  db: Database,
  { monitors, ...fields }: NewIncident,
  source: Incident['incident_source'],
): Promise<Incident> {
  return inTransaction(db, async (client) => {
    const id = await insertIncident(client, { ...fields, is_global: monitors.length === 0 }, source);
    await writeReferences(client, 'incident_monitors', id, monitors);
    return written(await findIncident(client, id), id);
  });
}

/**
 * Changes what the patch names and keeps the rest, also while others change the same incident. A patch that depends on
 * what it changes is a function of the incident.
 */
export function patchIncident(
  db: Database,
  id: number,
  patch: IncidentPatch | ((current: Incident) => IncidentPatch),
): Promise<Incident> {
  return inTransaction(db, async (client) => {
    const current = await lockIncident(client, id);
    if (!current) throw incidentNotFound(id);
    const { monitors, ...fields } =
      typeof patch === 'function' ? patch(written(await findIncident(client, id), id)) : patch;
    const is_global = monitors ? monitors.length === 0 : current.is_global;
    await updateIncident(client, id, { ...current, ...fields, is_global });
    if (monitors) await writeReferences(client, 'incident_monitors', id, monitors);
    return written(await findIncident(client, id), id);
  });
}

/** `id`: as the path has it where it is no number. */
export function incidentNotFound(id: number | string): AppError {
  return new AppError('NOT_FOUND', `Incident with id '${id}' not found`);
}

function written(incident: Incident | undefined, id: number): Incident {
  if (!incident) throw incidentNotFound(id);
  return incident;
}

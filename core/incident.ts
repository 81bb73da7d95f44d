import { z } from 'zod';
import { floorMinute } from './minute.ts';
import { monitorReference, monitorReferences, type MonitorReference } from './monitor-reference.ts';
import { checkStorableText } from './storable.ts';
import { timestamp } from './timestamp.ts';

/** Incidents (specification 2.1, 4.1; reference §1.2 and §12): literal messages, checks in order of keys. */

export const INCIDENT_STATES = ['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'] as const;
const SOURCES = ['API', 'MANUAL', 'ALERT'] as const;

const TITLE = 'Title is required and must be a non-empty string';

/** What a client may write, in the order of the checks. */
const writable = {
  title: z.string(TITLE).trim().min(1, TITLE).superRefine(checkStorableText),
  start_date_time: timestamp(
    'start_date_time must be a valid timestamp (UTC seconds)',
    'start_date_time is required',
  ).transform(floorMinute),
  end_date_time: timestamp('end_date_time must be a valid timestamp (UTC seconds)').transform(floorMinute).nullable(),
  monitors: monitorReferences('DOWN'),
};

/** An incident as answers show it, keys in the reference's order. */
export const incidentResource = z
  .object({
    id: z.int(),
    title: z.string(),
    start_date_time: z.int().multipleOf(60),
    end_date_time: z.int().multipleOf(60).nullable(),
    state: z.enum(INCIDENT_STATES),
    incident_type: z.string().meta({ examples: ['INCIDENT'] }),
    incident_source: z.enum(SOURCES),
    monitors: z.array(monitorReference),
    created_at: z.iso.datetime({ precision: 3 }),
    updated_at: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'Incident' });
export type Incident = z.output<typeof incidentResource>;

/** What a client writes of an incident, besides its monitors. */
export interface IncidentFields {
  title: string;
  start_date_time: number;
  end_date_time: number | null;
}

export type NewIncident = IncidentFields & { monitors: MonitorReference[] };

/** What POST reads. */
export const newIncidentFields = z.object({
  ...writable,
  end_date_time: writable.end_date_time.optional(),
  monitors: writable.monitors.optional(),
});

/** The body of POST. */
export const newIncident = newIncidentFields.transform(completeIncident);

/** The body of PATCH: what is not named is kept, a null end reopens, monitors replace the whole list. */
export const incidentPatch = z.object(writable).partial();
export type IncidentPatch = z.output<typeof incidentPatch>;

/** An end at 0 means none in a new incident, as in the reference. */
export function completeIncident(fields: z.output<typeof newIncidentFields>): NewIncident {
  const { end_date_time, monitors = [] } = fields;
  return { ...fields, end_date_time: end_date_time || null, monitors };
}

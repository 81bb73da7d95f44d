import { z } from 'zod';
import { INCIDENT_STATES } from './incident.ts';
import { floorMinute } from './minute.ts';
import { checkStorableText } from './storable.ts';
import { timestamp } from './timestamp.ts';

/** An incident's comments (specification 2.2, 4.2; reference §1.3): literal messages, checks in order of keys. */

const COMMENT = 'comment is required and must be a non-empty string';
const STATE = `state must be one of: ${INCIDENT_STATES.join(', ')}`;

const comment = z.string(COMMENT).trim().min(1, COMMENT).superRefine(checkStorableText);
const moment = timestamp('timestamp must be a valid timestamp (UTC seconds)').transform(floorMinute);

/** A comment as answers show it. */
export const commentResource = z
  .object({
    id: z.int(),
    incident_id: z.int(),
    comment: z.string(),
    timestamp: z.int().multipleOf(60),
    state: z.enum(INCIDENT_STATES),
    created_at: z.iso.datetime({ precision: 3 }),
    updated_at: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'IncidentComment' });
export type IncidentComment = z.output<typeof commentResource>;

/** The body of POST; without a timestamp the comment is of now. */
export const newComment = z.object({
  comment,
  timestamp: moment.nullish(),
  state: z.enum(INCIDENT_STATES, {
    error: ({ input }) => (typeof input === 'string' ? STATE : 'state is required'),
  }),
});
export type NewComment = z.output<typeof newComment>;

/** The body of PATCH: what is not named is kept. */
export const commentPatch = z.object({ comment, timestamp: moment, state: z.enum(INCIDENT_STATES, STATE) }).partial();
export type CommentPatch = z.output<typeof commentPatch>;

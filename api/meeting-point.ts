import { z } from 'zod';
import type { MeetingPoint } from '../core/invitation.ts';

/** Settings without which agents are invited from the command line alone. */
export const meetingVariables = {
  /** host:port, as agents reach it. */
  COLLECTOR_ADDRESS: z
    .string()
    .regex(/^\S+:\d{1,5}$/, 'must be host:port')
    .optional(),
  /** `farwatch identity init` tells it. */
  AUTHORITY_FINGERPRINT: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .optional(),
};

/** Where invited agents reach collectors; null where nobody has said. */
export function meetingPointOf({
  COLLECTOR_ADDRESS: collector,
  AUTHORITY_FINGERPRINT: fingerprint,
}: z.output<z.ZodObject<typeof meetingVariables>>): MeetingPoint | null {
  return collector !== undefined && fingerprint !== undefined ? { collector, fingerprint } : null;
}

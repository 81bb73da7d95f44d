import { z } from 'zod';

/** What the reference answers where there is nothing to tell. */
export const acknowledged = z.object({ success: z.literal(true) });
export const ACKNOWLEDGED = { success: true } as const;

/** The same, as the number of rows that changed. */
export const oneRow = z.int().meta({ description: 'How many rows changed' });
export const ONE_ROW = 1;

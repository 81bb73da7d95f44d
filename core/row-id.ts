import { z } from 'zod';

/** The largest id that a table gives. */
const MAX_ID = 2_147_483_647;

/** The id of a row in an action's data. */
export function rowId(name: string) {
  const message = `${name} must be a positive integer`;
  return z.int(message).min(1, message).max(MAX_ID, message);
}

import { z } from 'zod';

/** The last second that a JavaScript date can tell, and its opposite the first. */
const MAX_SECONDS = 8_640_000_000_000;

/** UTC Unix seconds as a client writes them. `required`: what is said of null and of nothing, where that is another fault. */
export function timestamp(message: string, required = message) {
  return z
    .int({ error: ({ input }) => (input === undefined || input === null ? required : message) })
    .min(-MAX_SECONDS, message)
    .max(MAX_SECONDS, message)
    .meta({ examples: [1_795_082_400] });
}

import { z } from 'zod';

const MAX_PAGE = 1_000_000_000;

/** The members that choose a part of a list. Never an error, as in `/api/v4`: what is out of range is brought inside. */
export function paging(defaultLimit: number, maxLimit: number) {
  return {
    page: lenient(1, MAX_PAGE, 'From 1, which is the default'),
    limit: lenient(defaultLimit, maxLimit, `At most ${maxLimit}, ${defaultLimit} by default`),
  };
}

function lenient(byDefault: number, max: number, description: string) {
  return z
    .union([z.number(), z.string()])
    .optional()
    .catch(undefined)
    .transform((given) => Math.min(Math.max(Number.parseInt(String(given), 10) || byDefault, 1), max))
    .meta({ type: 'integer', description });
}

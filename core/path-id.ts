/** The largest id that a table gives. */
const MAX_ID = 2_147_483_647;

/**
 * The id a path names: leading digits count, the rest is dropped (reference §1.0). Undefined where there are none, or
 * no row can have the id.
 */
export function parsePathId(text: string): number | undefined {
  const id = Number.parseInt(/^\d+/.exec(text)?.[0] ?? '', 10);
  return id >= 1 && id <= MAX_ID ? id : undefined;
}

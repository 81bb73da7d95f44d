import type { z } from 'zod';

/** Deeper JSON than this is refused: both `JSON.stringify` and PostgreSQL's jsonb recurse. */
const MAX_DEPTH = 32;

/** NUL and lone surrogates have no place in a PostgreSQL text. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** A zod check: the text can be stored. */
export function checkStorableText(text: string, context: z.RefinementCtx): void {
  if (!UNSTORABLE.test(text)) return;
  context.addIssue({ code: 'custom', message: 'must not contain NUL or unpaired surrogates' });
}

/** A zod check: the JSON value can be stored as jsonb and comes back as it went in. */
export function checkStorableJson(value: unknown, context: z.RefinementCtx): void {
  const problem = unstorable(value, 0);
  if (problem) context.addIssue({ code: 'custom', message: problem });
}

function unstorable(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return UNSTORABLE.test(value) ? 'must not contain NUL or unpaired surrogates' : null;
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : 'must not contain numbers beyond double precision';
  if (typeof value !== 'object' || value === null) return null;
  return depth < MAX_DEPTH ? unstorableMember(value, depth) : `must not be nested deeper than ${MAX_DEPTH} levels`;
}

function unstorableMember(value: object, depth: number): string | null {
  for (const [key, member] of Object.entries(value)) {
    const problem = unstorable(key, depth) ?? unstorable(member, depth + 1);
    if (problem) return problem;
  }
  return null;
}

import { z } from 'zod';
import { problemOf, type FieldProblem } from './app-error.ts';

type Words = (path: readonly PropertyKey[], message: string) => string;

/**
 * `schema`, whose faults are told in its own words: their place goes into the details and not before the message.
 * `words` makes the message of a fault from its place inside the schema and what the schema said; without: the latter.
 */
export function inOwnWords<S extends z.ZodType>(schema: S, words: Words = (_path, message) => message) {
  return z.preprocess((input, context) => {
    for (const { path, message } of schema.safeParse(input).error?.issues ?? [])
      context.issues.push({ code: 'custom', input, path, message: words(path, message), params: { inOwnWords: true } });
    return input;
  }, schema);
}

/** The faults of a request for the client's eyes, in the order of the checks. */
export function problemsOf({ issues }: z.ZodError): FieldProblem[] {
  return issues.map((issue) =>
    issue.code === 'custom' && issue.params?.inOwnWords
      ? { path: issue.path.map(String).join('.'), message: issue.message }
      : problemOf(issue.path, issue.message),
  );
}

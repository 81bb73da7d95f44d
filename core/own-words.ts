import { z } from 'zod';
import { problemOf, type FieldProblem } from './app-error.ts';

/** More faults than this help nobody, and a large body may hold one in every byte. */
const MAX_TOLD = 100;

type Words = (path: readonly PropertyKey[], message: string) => string;

/**
 * `schema`, whose faults are told in its own words: their place goes into the details and not before the message.
 * `words` makes the message of a fault from its place inside the schema and what the schema said.
 */
export function inOwnWords<S extends z.ZodType>(schema: S, words: Words) {
  return z.preprocess((input, context) => {
    for (const { path, message } of faultsOf(schema, input)) push(context, path, words(path, message));
    return input;
  }, schema);
}

/**
 * An array whose items are checked one after the other and no further than the first that is faulty: a body of nothing
 * but faults costs little. Faults are told in the items' own words.
 */
export function eachInTurn<S extends z.ZodType>(item: S, notAnArray: string) {
  return z.preprocess((input, context) => {
    const faulty = Array.isArray(input) ? input.findIndex((value) => !item.safeParse(value).success) : -1;
    if (!Array.isArray(input)) push(context, [], notAnArray);
    else if (faulty >= 0)
      for (const { path, message } of faultsOf(item, input[faulty])) push(context, [faulty, ...path], message);
    return input;
  }, z.array(item));
}

/** What one of two schemas reads; the faults are those of the one that `choose` says the input is meant for. */
export function meantFor<A extends z.ZodType, B extends z.ZodType>(options: [A, B], choose: (input: unknown) => A | B) {
  return z.preprocess((input, context) => {
    for (const issue of faultsOf(choose(input), input)) {
      const { path, message } = issue;
      const params = issue.code === 'custom' ? issue.params : undefined;
      context.issues.push({ code: 'custom', input: undefined, path, message, params });
    }
    return input;
  }, z.union(options));
}

/** The faults of a request for the client's eyes, in the order of the checks. */
export function problemsOf({ issues }: z.ZodError): FieldProblem[] {
  return issues
    .slice(0, MAX_TOLD)
    .map((issue) =>
      issue.code === 'custom' && issue.params?.inOwnWords
        ? { path: issue.path.map(String).join('.'), message: issue.message }
        : problemOf(issue.path, issue.message),
    );
}

function faultsOf(schema: z.ZodType, input: unknown): z.core.$ZodIssue[] {
  return schema.safeParse(input).error?.issues ?? [];
}

function push(context: z.RefinementCtx, path: PropertyKey[], message: string): void {
  // Without an input: nobody reads it, and it may be large.
  context.issues.push({ code: 'custom', input: undefined, path, message, params: { inOwnWords: true } });
}

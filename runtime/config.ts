import type { z } from 'zod';

/** Exit code of a program whose configuration is wrong (sysexits EX_CONFIG): a supervisor need not try again. */
const EXIT_CONFIG = 78;

/** The environment does not fit the program's schema; `problems` has one line for each fault. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`configuration: ${problems.join('; ')}`);
    this.problems = problems;
  }
}

/**
 * Parses the environment through a program's schema. An empty variable counts as unset.
 * @throws ConfigError naming every fault. Values are never part of the text: they may be secrets.
 */
export function parseConfig<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => `${issue.path.join('.') || 'environment'}: ${issue.message}`),
  );
}

/** `parseConfig` for a `main.ts`: prints every fault to standard error and exits 78. */
export function readConfig<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  try {
    return parseConfig(schema, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return refuseConfig(...error.problems);
  }
}

/** Prints what is wrong with the configuration, one line each, and exits 78. */
export function refuseConfig(...problems: readonly string[]): never {
  for (const problem of problems) process.stderr.write(`configuration: ${problem}\n`);
  process.exit(EXIT_CONFIG);
}

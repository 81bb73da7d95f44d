import { parseArgs, type ParseArgsConfig } from 'node:util';
import pg from 'pg';
import { isTransient, openPool } from '../db/client.ts';
import type { Answer, Command, LoneCommand, Options } from './command.ts';
import { COMMANDS } from './commands.ts';
import { readPassword } from './read-password.ts';

const EXIT = { failure: 1, usage: 2, config: 78 } as const;

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  name: { type: 'string' },
  region: { type: 'string' },
  email: { type: 'string' },
  role: { type: 'string' },
  collector: { type: 'string' },
  identity: { type: 'string' },
  minutes: { type: 'string' },
  to: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

const NOTHING_GIVEN = { name: '', region: '', email: '', role: '', minutes: '', to: '' };

/** A command that cannot be carried out, with the exit code that says why. */
class CliError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

try {
  const { DATABASE_URL, PUBLIC_URL, COLLECTOR_PUBLIC_ADDRESS = '', FARWATCH_IDENTITY_DIR = '' } = process.env;
  await main(process.argv.slice(2), {
    databaseUrl: DATABASE_URL,
    publicUrl: PUBLIC_URL,
    collector: COLLECTOR_PUBLIC_ADDRESS,
    identity: FARWATCH_IDENTITY_DIR,
  });
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}

interface Environment {
  databaseUrl: string | undefined;
  publicUrl: string | undefined;
  collector: string;
  identity: string;
}

async function main(argv: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArguments(argv);
  if (values.help) return print(usage());
  const { command, rest } = findCommand(positionals);
  const { collector, identity } = environment;
  const given = { ...NOTHING_GIVEN, collector, identity, ...values };
  const [first] = command.needs;
  if (first && !given[first]) given[first] = rest.shift() ?? '';
  const missing = command.needs.find((option) => !given[option]);
  if (missing) throw new CliError(EXIT.usage, `--${missing} is missing\n\n${usage()}`);
  if (rest.length > 0) throw new CliError(EXIT.usage, `too many arguments: ${rest.join(' ')}\n\n${usage()}`);
  const answer = await carryOut(command, environment, {
    ...given,
    publicUrl: environment.publicUrl || null,
    readPassword: () => readPassword(process.stdin, (text) => void process.stderr.write(text)),
  });
  print(values.json ? JSON.stringify(answer.json) : answer.text);
}

async function carryOut(
  command: Command | LoneCommand,
  { databaseUrl }: Environment,
  options: Options,
): Promise<Answer> {
  if ('runAlone' in command) return command.runAlone(options);
  if (!databaseUrl) throw new CliError(EXIT.config, 'configuration: DATABASE_URL: is not set');
  return withPool(databaseUrl, (pool) => command.run(pool, options));
}

function parseArguments(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new CliError(EXIT.usage, `${error instanceof Error ? error.message : String(error)}\n\n${usage()}`);
  }
}

function findCommand(words: string[]): { command: Command | LoneCommand; rest: string[] } {
  for (const length of [2, 1]) {
    const command = COMMANDS[words.slice(0, length).join(' ')];
    if (command && words.length >= length) return { command, rest: words.slice(length) };
  }
  throw new CliError(EXIT.usage, usage());
}

async function withPool(url: string, work: (pool: pg.Pool) => Promise<Answer>): Promise<Answer> {
  const pool = openPool({ url, name: 'farwatch-cli', max: 1, statementTimeoutMs: 0 });
  try {
    const answer = await work(pool);
    if (answer.problem) throw new CliError(EXIT.failure, answer.problem);
    return answer;
  } catch (error) {
    if (isTransient(error)) throw new CliError(EXIT.failure, 'the database is away: check DATABASE_URL');
    if (error instanceof pg.DatabaseError) throw new CliError(EXIT.failure, `the database refuses: ${error.message}`);
    throw error;
  } finally {
    await pool.end();
  }
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(([words, { needs, takes = [], summary }]) => {
    const required = needs.map((option) => ` --${option} <${option}>`);
    const optional = takes.map((option) => ` [--${option} <${option}>]`);
    const line = `  farwatch ${words}${[...required, ...optional].join('')}`;
    return `${line.padEnd(60)} ${summary}`;
  });
  return [
    'usage (all with --json; DATABASE_URL names the database, FARWATCH_IDENTITY_DIR the folder of --identity):',
    ...lines,
  ].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

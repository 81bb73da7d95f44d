import { pino, stdTimeFunctions, type Logger as PinoLogger } from 'pino';

/** JSON lines. The message is a constant lower-case phrase, everything variable a field. */
export type Logger = PinoLogger;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Field names whose values never reach a log, wherever they stand up to two levels deep. */
const SECRETS = ['token', 'password', 'authorization', 'apiKey', 'key', 'databaseUrl', 'natsUrl'];

/** A logger that names its program on every line and writes to standard output. */
export function createLogger(program: string, level: LogLevel): Logger {
  return pino({
    base: { program, pid: process.pid },
    level,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
  });
}

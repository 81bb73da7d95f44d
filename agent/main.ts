import { readFile } from 'node:fs/promises';
import { readConfig } from '../runtime/config.ts';
import { runProgram } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/logger.ts';
import { agentConfig, parseToken } from './config.ts';
import { SpoolLockedError } from './spool/lock.ts';
import { startAgent } from './start.ts';
import { claimStateFolder, type StateFolder } from './state-folder.ts';

/** Whose share others take over ends its last checks first, each within its minute. */
const SHUTDOWN_LIMIT_MS = 75_000;
/** The configuration is wrong in a way that starting again does not mend (sysexits EX_CONFIG). */
const EXIT_CONFIG = 78;

const config = readConfig(agentConfig, process.env);
const logger = createLogger('agent', config.LOG_LEVEL);
const token = config.FARWATCH_TOKEN ?? (await readToken(config.FARWATCH_TOKEN_FILE ?? ''));
const folder = await claim(config.FARWATCH_STATE_DIR);
await runProgram(logger, (life) => startAgent({ ...config, token, folder }, logger, life), SHUTDOWN_LIMIT_MS);

async function readToken(path: string): Promise<string> {
  const parsed = parseToken(
    await readFile(path, 'utf8').catch((error: Error) => refuse(`FARWATCH_TOKEN_FILE: ${error.message}`)),
  );
  return parsed ?? refuse('FARWATCH_TOKEN_FILE: the file holds no agent token');
}

async function claim(path: string): Promise<StateFolder> {
  try {
    return await claimStateFolder(path);
  } catch (error) {
    if (error instanceof SpoolLockedError) return refuse(`FARWATCH_STATE_DIR: ${error.message}`);
    if (isOwnersToMend(error)) return refuse(`FARWATCH_STATE_DIR: ${error.message}`);
    throw error;
  }
}

/** A full or failing disk may be well again at the next start; these will not be. */
function isOwnersToMend(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST)$/.test(String(error.code));
}

function refuse(problem: string): never {
  process.stderr.write(`configuration: ${problem}\n`);
  process.exit(EXIT_CONFIG);
}

import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { decodeInvitation, type Invitation } from '../core/invitation.ts';
import { readConfig, refuseConfig } from '../runtime/config.ts';
import { runProgram } from '../runtime/lifecycle.ts';
import { createLogger, type Logger } from '../runtime/logger.ts';
import { agentConfig, enrolConfig } from './config.ts';
import { enrolAgent } from './identity/enrol.ts';
import { enrolUntilDone, explainRefusal } from './identity/enrol-until-done.ts';
import { readIdentityFile, type AgentIdentity } from './identity/identity-file.ts';
import { SpoolLockedError } from './spool/lock.ts';
import { startAgent } from './start.ts';
import { claimStateFolder, type StateFolder } from './state-folder.ts';

const USAGE = 'usage: enrol <invitation>, as `farwatch agents invite` prints it; without arguments the agent runs';
const EXIT_FAILURE = 1;
const EXIT_USAGE = 64;
/** Whose share others take over ends its last checks first, each within its minute. */
const SHUTDOWN_LIMIT_MS = 75_000;

const [command, ...operands] = process.argv.slice(2);
if (command === undefined) await run();
else await enrol(operands);

async function run(): Promise<void> {
  const config = readConfig(agentConfig, process.env);
  const logger = createLogger('agent', config.LOG_LEVEL);
  const folder = await claim(config.FARWATCH_STATE_DIR);
  const path = config.FARWATCH_IDENTITY_FILE ?? folder.identity;
  const identity = (await readIdentityFile(path)) ?? (await becomeAgent(config, path, logger));
  await runProgram(
    logger,
    (life) => startAgent({ ...config, identity, path, folder }, logger, life),
    SHUTDOWN_LIMIT_MS,
  );
}

/** By the invitation, which nobody needs any more once the agent has an identity. */
async function becomeAgent(
  { FARWATCH_INVITATION, FARWATCH_INVITATION_FILE }: z.output<typeof agentConfig>,
  path: string,
  logger: Logger,
): Promise<AgentIdentity> {
  const invitation = FARWATCH_INVITATION ?? (await readInvitation(FARWATCH_INVITATION_FILE));
  if (invitation === null)
    return refuseConfig(`FARWATCH_STATE_DIR: no identity in it: enrol this agent, or set FARWATCH_INVITATION`);
  const result = await enrolUntilDone(() => enrolAgent(invitation, path), logger);
  return 'refused' in result ? refuseConfig(`FARWATCH_INVITATION: ${result.refused}`) : result;
}

async function enrol([token = '', ...more]: string[]): Promise<void> {
  const invitation = decodeInvitation(token);
  if (command !== 'enrol' || invitation === null || more.length > 0) return end(EXIT_USAGE, USAGE);
  const config = readConfig(enrolConfig, process.env);
  const folder = await claim(config.FARWATCH_STATE_DIR);
  const path = config.FARWATCH_IDENTITY_FILE ?? folder.identity;
  const before = await readIdentityFile(path);
  if (before !== null) return end(EXIT_FAILURE, `this is agent ${before.name} already: remove ${path} to enrol anew`);
  try {
    const { name, region } = await enrolAgent(invitation, path);
    process.stdout.write(`enrolled as ${name} in region ${region}\n`);
  } catch (error) {
    end(EXIT_FAILURE, explainRefusal(error) ?? `not enrolled: ${error instanceof Error ? error.message : 'unknown'}`);
  }
  await folder.lock.release();
}

function end(exitCode: number, line: string): void {
  process.stderr.write(`${line}\n`);
  process.exitCode = exitCode;
}

async function readInvitation(path: string | undefined): Promise<Invitation | null> {
  if (path === undefined) return null;
  const text = await readFile(path, 'utf8').catch((error: Error) =>
    refuseConfig(`FARWATCH_INVITATION_FILE: ${error.message}`),
  );
  return decodeInvitation(text) ?? refuseConfig('FARWATCH_INVITATION_FILE: the file holds no invitation');
}

async function claim(path: string): Promise<StateFolder> {
  try {
    return await claimStateFolder(path);
  } catch (error) {
    if (error instanceof SpoolLockedError) return refuseConfig(`FARWATCH_STATE_DIR: ${error.message}`);
    if (isOwnersToMend(error)) return refuseConfig(`FARWATCH_STATE_DIR: ${error.message}`);
    throw error;
  }
}

/** A full or failing disk may be well again at the next start; these will not be. */
function isOwnersToMend(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST)$/.test(String(error.code));
}

import { IdentityFolderError, readIdentity, type Identity } from '../identity/identity-folder.ts';
import { readConfig, refuseConfig } from '../runtime/config.ts';
import { runProgram } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/logger.ts';
import { collectorConfig } from './config.ts';
import { startCollector } from './start.ts';

const config = readConfig(collectorConfig, process.env);
const logger = createLogger('collector', config.LOG_LEVEL);
const identity = readOrRefuse(config.FARWATCH_IDENTITY_DIR);
await runProgram(logger, async (life) => {
  await startCollector({ ...config, identity }, logger, life);
});

function readOrRefuse(folder: string): Identity {
  try {
    return readIdentity(folder);
  } catch (error) {
    if (error instanceof IdentityFolderError) return refuseConfig(`FARWATCH_IDENTITY_DIR: ${error.message}`);
    throw error;
  }
}

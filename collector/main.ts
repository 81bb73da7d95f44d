import { readConfig } from '../runtime/config.ts';
import { runProgram } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/logger.ts';
import { collectorConfig } from './config.ts';
import { startCollector } from './start.ts';

const config = readConfig(collectorConfig, process.env);
const logger = createLogger('collector', config.LOG_LEVEL);
await runProgram(logger, async (life) => {
  await startCollector(config, logger, life);
});

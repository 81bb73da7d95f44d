import { z } from 'zod';
import { listenAddress } from '../runtime/listen-address.ts';
import { LOG_LEVELS } from '../runtime/logger.ts';

/** The collector's environment. Addresses beyond loopback are taken only where the owner names them. */
export const collectorConfig = z.object({
  DATABASE_URL: z.string(),
  NATS_URL: z.string(),
  COLLECTOR_LISTEN: listenAddress.default({ host: '127.0.0.1', port: 50_051 }),
  HEALTH_LISTEN: listenAddress.optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
});

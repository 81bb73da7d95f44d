import { z } from 'zod';
import { asksForTls, natsAddress } from '../proto/nats-address.ts';
import { listenAddress } from '../runtime/listen-address.ts';
import { LOG_LEVELS } from '../runtime/logger.ts';

const DAY_MS = 86_400_000;

/** The collector's environment. Addresses beyond loopback are taken only where the owner names them. */
export const collectorConfig = z
  .object({
    DATABASE_URL: z.string(),
    NATS_URL: natsAddress,
    /** Where agents reach NATS, where that is elsewhere. */
    NATS_PUBLIC_URL: natsAddress.optional(),
    FARWATCH_IDENTITY_DIR: z.string().min(1),
    COLLECTOR_LISTEN: listenAddress.default({ host: '127.0.0.1', port: 50_051 }),
    HEALTH_LISTEN: listenAddress.optional(),
    AGENT_CREDENTIALS_DAYS: z.coerce.number().min(1).max(825).default(365),
    LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  })
  .superRefine(({ NATS_URL, NATS_PUBLIC_URL = NATS_URL }, context) => {
    if (asksForTls(NATS_URL) === asksForTls(NATS_PUBLIC_URL)) return;
    context.addIssue({
      code: 'custom',
      path: ['NATS_PUBLIC_URL'],
      message: 'must be tls:// where NATS_URL is, and only there',
    });
  })
  .transform(({ AGENT_CREDENTIALS_DAYS, ...config }) => ({
    ...config,
    credentialsMs: AGENT_CREDENTIALS_DAYS * DAY_MS,
  }));

import type pg from 'pg';
import { serveHealth, type HealthReport } from '../runtime/health.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import { formatAddress, type ListenAddress } from '../runtime/listen-address.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Coalescer } from './coalescer.ts';
import type { DefinitionsPublisher } from './definitions-publisher.ts';
import type { NatsAccounts } from './identity/nats-accounts.ts';

/** Whoever asks for health does not wait for long. */
const IS_THERE = { text: 'select 1', query_timeout: 5000 };

/** What is asked how it does. */
export interface HealthParts {
  pool: pg.Pool;
  coalescer: Coalescer;
  publisher: DefinitionsPublisher;
  /** Null where NATS asks for no credentials. */
  natsAccounts: NatsAccounts | null;
  metrics: Metrics;
  logger: Logger;
}

/** Answers for the collector's health and figures where it is told to; returns where, else null. */
export async function startHealth(
  listen: ListenAddress | undefined,
  { pool, coalescer, publisher, natsAccounts, metrics, logger }: HealthParts,
  life: Lifecycle,
): Promise<ListenAddress | null> {
  if (listen === undefined) return null;
  const away = (): string => 'away';
  const check = async (): Promise<HealthReport> => ({
    database: await pool.query(IS_THERE).then(() => null, away),
    results: coalescer.problem(),
    definitions: publisher.problem(),
    logins: natsAccounts?.problem() ?? null,
  });
  // The collector works: a balancer must not take agents from it for one definition.
  const notes = (): string[] =>
    publisher
      .figures()
      .unreadable.flatMap(([region, count]) =>
        count === 0 ? [] : `definitions in the database that cannot be read: ${count} of region ${region}`,
      );
  const health = await serveHealth(listen, check, metrics, notes);
  life.onClose('health', () => health.close());
  logger.info({ healthAddress: formatAddress(health.address) }, 'health can be asked');
  return health.address;
}

import { openPool } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { openCluster } from '../../deploy/local/embedded-postgres.ts';
import type { RunningPart } from '../support/running-part.ts';
import type { Part } from '../../deploy/local/supervise.ts';
import { reservePort } from './ports.ts';

/** Where a run stores. */
export interface RunDatabase {
  url: string;
  /** Null where it is not the run's own. */
  server: RunningPart | null;
}

/** Why a server is left alone. */
export const DATABASE_IS_SHARED = 'the database server is killed where TEST_DATABASE_URL names none';

/** Of everything a run does only this server's files would have to outlive the machine. */
const SETTINGS = { fsync: 'off' };

/** Makes a server in this folder, and on it a migrated database. */
export async function openOwnDatabase(dir: string, begin: (part: Part) => Promise<RunningPart>): Promise<RunDatabase> {
  const cluster = await openCluster({ dir, port: await reservePort(), settings: SETTINGS });
  const server = await begin({
    name: 'postgres',
    spawn: (stdio) => cluster.spawn(stdio),
    ready: (child) => cluster.ready(child),
    // Ends sessions instead of waiting for them.
    stopSignal: 'SIGINT',
    layer: 'store',
  });
  const pool = openPool({ url: cluster.url, name: 'fault runner', max: 1, statementTimeoutMs: 0 });
  await migrate(pool).finally(() => pool.end());
  return { url: cluster.url, server };
}

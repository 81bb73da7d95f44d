import { byLabel, type Metrics } from './metrics.ts';

/** What a pool of connections tells of itself. */
export interface PoolFigures {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Shows the connections of a program's pools, and how many wait for one. `prefix` begins the names. */
export function exposePools(metrics: Metrics, prefix: string, pools: Readonly<Record<string, PoolFigures>>): void {
  const entries = Object.entries(pools);
  metrics.gauge(
    { name: `${prefix}_pool_connections`, help: 'Connections to the database', labels: ['pool', 'state'] },
    () =>
      entries.flatMap(([pool, { totalCount, idleCount }]) => [
        [{ pool, state: 'idle' }, idleCount] as const,
        [{ pool, state: 'busy' }, totalCount - idleCount] as const,
      ]),
  );
  metrics.gauge({ name: `${prefix}_pool_waiting`, help: 'Who waits for a connection', labels: ['pool'] }, () =>
    byLabel(
      'pool',
      entries.map(([pool, { waitingCount }]) => [pool, waitingCount]),
    ),
  );
}

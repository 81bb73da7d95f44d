import { setMaxListeners } from 'node:events';
import { startCollector, type CollectorConfig } from '../../collector/start.ts';
import { createLogger } from '../../runtime/logger.ts';
import { testIdentity } from './test-identity.ts';

export interface TestCollector {
  /** host:port for agents. */
  address: string;
  healthUrl: string;
  /** What a part that ended the program threw. */
  failures: unknown[];
  /** As SIGTERM does. */
  stop(): Promise<void>;
}

/** A whole collector inside the test's process, on a real database and a real bus. */
export async function startTestCollector(
  databaseUrl: string,
  natsUrl: string,
  credentialsMs = 86_400_000,
  limits: Pick<CollectorConfig, 'statementTimeoutMs' | 'idleInTransactionMs'> = {},
): Promise<TestCollector> {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const loops: Promise<void>[] = [];
  const closers: (() => Promise<unknown> | void)[] = [];
  const failures: unknown[] = [];
  const config = {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    COLLECTOR_LISTEN: { host: '127.0.0.1', port: 0 },
    HEALTH_LISTEN: { host: '127.0.0.1', port: 0 },
    LOG_LEVEL: 'silent' as const,
    identity: testIdentity,
    credentialsMs,
    ...limits,
  };
  const addresses = await startCollector(config, createLogger('collector', 'silent'), {
    signal: end.signal,
    end: () => end.abort(),
    run: (_name, loop) => void loops.push(loop(end.signal).catch((error: unknown) => void failures.push(error))),
    onClose: (_name, close) => void closers.push(close),
  });
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    end.abort();
    await Promise.all(loops);
    for (const close of closers.reverse()) await close();
  };
  return {
    address: `127.0.0.1:${addresses?.agents.port}`,
    healthUrl: `http://127.0.0.1:${addresses?.health?.port}/healthz`,
    failures,
    stop: () => (stopped ??= stop()),
  };
}

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { listening, spawnProgram } from '../../deploy/local/programs.ts';
import { testIdentityDir } from '../support/test-identity.ts';
import type { Closers } from './bench-database.ts';

/** Resolves when the child listens on the port of loopback. It ends with the bench. */
export async function started(child: ChildProcess, port: number, closers: Closers): Promise<ChildProcess> {
  closers.push(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  await listening(child, port);
  return child;
}

/** The compiled API, over a database. */
export function startApi(url: string, port: number, closers: Closers, env = {}): Promise<ChildProcess> {
  const own = { DATABASE_URL: url, API_LISTEN: `127.0.0.1:${port}`, LOG_LEVEL: 'warn' };
  return started(spawnProgram('api', { ...own, ...env }, 'inherit'), port, closers);
}

/** The compiled collector, over a database and a NATS server. */
export function startCollector(url: string, natsUrl: string, port: number, closers: Closers): Promise<ChildProcess> {
  const env = {
    DATABASE_URL: url,
    NATS_URL: natsUrl,
    FARWATCH_IDENTITY_DIR: testIdentityDir,
    COLLECTOR_LISTEN: `127.0.0.1:${port}`,
    LOG_LEVEL: 'warn',
  };
  return started(spawnProgram('collector', env, 'inherit'), port, closers);
}

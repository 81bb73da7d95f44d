import type { TestProject } from 'vitest/node';
import { startDatabaseServer, type DatabaseServer } from './database-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    databaseServer: Pick<DatabaseServer, 'adminUrl' | 'template' | 'embedded'>;
  }
}

/** Projects are set up each on its own, in one process: the first starts the server, the last one stops it. */
interface Shared {
  server: Promise<DatabaseServer>;
  users: number;
}
const KEY = Symbol.for('farwatch.test.database-server');
// A property of the process that only this file knows.
const scope = globalThis as typeof globalThis & { [KEY]?: Shared };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (scope[KEY] ??= { server: startDatabaseServer(), users: 0 });
  shared.users += 1;
  const { adminUrl, template, embedded } = await shared.server;
  project.provide('databaseServer', { adminUrl, template, embedded });
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete scope[KEY];
    await (await shared.server).stop();
  };
}

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectRoot } from './project-root.ts';

/** Where `deploy/setup.mjs` unpacks a nats-server when the system has none. */
const OWN_TOOLS = '.farwatch/tools/usr/sbin';

/** The nats-server of this machine: from PATH, from where distributions put it, or from the project's own tools. */
export function findNatsServer(): string {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter).filter(Boolean),
    '/usr/sbin',
    '/usr/local/sbin',
    join(projectRoot(), OWN_TOOLS),
  ];
  const found = folders.map((folder) => join(folder, 'nats-server')).find(isExecutable);
  if (found === undefined) throw new Error('no nats-server found: install one, or set NATS_URL');
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // accessSync has no other way to say no.
    return false;
  }
}

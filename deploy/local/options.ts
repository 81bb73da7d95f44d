import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { join } from 'node:path';
import { projectRoot } from './project-root.ts';

export interface Options {
  /** Of the API, on loopback. */
  port: number;
  /** Everything that must survive a restart. */
  dataDir: string;
  regions: string[];
  demo: boolean;
}

export const USAGE = `usage: npm start -- [--port 3000] [--data DIR] [--regions eu,us,ap] [--no-demo]

  --port N       where the API listens, on 127.0.0.1 (3000)
  --data DIR     where everything is kept (.farwatch/data in the project)
  --regions a,b  one agent in each of these regions (eu,us,ap)
  --no-demo      create no monitors

DATABASE_URL and NATS_URL, if set, are used instead of the embedded PostgreSQL and nats-server.`;

const REGION = /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/;

/** What the command line asks for, or the one thing that is wrong with it. */
export function parseOptions(args: string[]): Options | { problem: string } {
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: {
        port: { type: 'string', default: '3000' },
        data: { type: 'string', default: join(projectRoot(), '.farwatch/data') },
        regions: { type: 'string', default: 'eu,us,ap' },
        'no-demo': { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : 0;
  if (port < 1 || port > 65_535) return { problem: '--port must be a number from 1 to 65535' };
  if (values.data === '') return { problem: '--data must name a folder' };
  const regions = values.regions.split(',').map((name) => name.trim());
  if (!regions.every((name) => REGION.test(name)) || new Set(regions).size < regions.length) {
    return { problem: '--regions must be different names of lowercase letters, digits and hyphens, with commas' };
  }
  return { port, dataDir: resolve(values.data), regions, demo: !values['no-demo'] };
}

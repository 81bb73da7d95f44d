import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeSecret } from './data-folder.ts';
import { runFarwatch } from './programs.ts';

/** What this launcher may show to the programs, in files that only their owner may read. */
export interface Identities {
  apiKey: string;
  /** True when the key was made just now, and is to be shown this once. */
  apiKeyIsNew: boolean;
  /** Region → the file with its agent's token. */
  tokenFiles: Map<string, string>;
}

/**
 * Brings schema, API key and agents up to what is asked for. Keys and tokens belong to a database, so each database
 * has a folder of its own: the embedded one, or one for each DATABASE_URL.
 */
export async function provideIdentities(options: {
  dir: string;
  databaseUrl: string;
  embedded: boolean;
  regions: string[];
}): Promise<Identities> {
  const { databaseUrl } = options;
  const folder = join(options.dir, 'identities', options.embedded ? 'embedded' : nameOf(databaseUrl));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await runFarwatch(['migrate'], databaseUrl);
  const keyFile = join(folder, 'api-key');
  const apiKeyIsNew = !existsSync(keyFile);
  if (apiKeyIsNew) {
    const created = await runFarwatch<{ key: string }>(['keys', 'create', '--name', unique('local')], databaseUrl);
    writeSecret(keyFile, created.key);
  }
  const tokenFiles = new Map<string, string>();
  for (const region of options.regions) {
    const file = join(folder, `agent-${region}.token`);
    if (!existsSync(file)) {
      const args = ['agents', 'create', '--region', region, '--name', unique(region)];
      const { token } = await runFarwatch<{ token: string }>(args, databaseUrl);
      writeSecret(file, token);
    }
    tokenFiles.set(region, file);
  }
  return { apiKey: readFileSync(keyFile, 'utf8'), apiKeyIsNew, tokenFiles };
}

/** A name nobody has yet, also where a launcher was killed between making an identity and writing it down. */
function unique(name: string): string {
  return `${name}-${randomBytes(4).toString('hex')}`;
}

/** Stays the same when the password changes. */
function nameOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = '';
  return createHash('sha256').update(url.href).digest('hex').slice(0, 16);
}

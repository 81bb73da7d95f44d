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
  /** By which the first user is made; another one with each start, and null once there is a user. */
  setupToken: string | null;
  /** By region. */
  agents: Map<string, AgentFiles>;
}

/** Who an agent is once it is enrolled, and by what it is enrolled. */
export interface AgentFiles {
  identityFile: string;
  invitationFile: string;
}

/** The folder of the collectors' keys, and the fingerprint of the authority among them. */
export interface CollectorKeys {
  identityDir: string;
  fingerprint: string;
}

/** Makes the collectors' keys, and what NATS needs of them, where there are none yet. */
export async function provideKeys(dir: string): Promise<CollectorKeys> {
  const identityDir = join(dir, 'identities', 'collectors');
  const { fingerprint } = await runFarwatch<{ fingerprint: string }>(['identity', 'init', '--identity', identityDir]);
  return { identityDir, fingerprint };
}

/**
 * Brings schema, API key and agents up to what is asked for. API keys and agents belong to a database, so each
 * database has a folder of its own: the embedded one, or one for each DATABASE_URL.
 */
export async function provideIdentities(options: {
  dir: string;
  databaseUrl: string;
  embedded: boolean;
  regions: string[];
  collectorPort: number;
  /** The collectors' keys. */
  identityDir: string;
}): Promise<Identities> {
  const { databaseUrl, identityDir } = options;
  const folder = join(options.dir, 'identities', options.embedded ? 'embedded' : nameOf(databaseUrl));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await runFarwatch(['migrate'], databaseUrl);
  const keyFile = join(folder, 'api-key');
  const apiKeyIsNew = !existsSync(keyFile);
  if (apiKeyIsNew) {
    const created = await runFarwatch<{ key: string }>(['keys', 'create', '--name', unique('local')], databaseUrl);
    writeSecret(keyFile, created.key);
  }
  const agents = new Map<string, AgentFiles>();
  for (const region of options.regions) {
    const identityFile = join(folder, `agent-${region}.json`);
    const invitationFile = join(folder, `agent-${region}.invitation`);
    if (!existsSync(identityFile)) {
      const where = ['--collector', `127.0.0.1:${options.collectorPort}`, '--identity', identityDir];
      const args = ['agents', 'invite', '--region', region, '--name', unique(region), ...where];
      const { token } = await runFarwatch<{ token: string }>(args, databaseUrl);
      writeSecret(invitationFile, token);
    }
    agents.set(region, { identityFile, invitationFile });
  }
  const setup = await runFarwatch<{ token: string | null }>(['users', 'setup-token'], databaseUrl);
  return { apiKey: readFileSync(keyFile, 'utf8'), apiKeyIsNew, setupToken: setup.token, agents };
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

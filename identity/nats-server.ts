import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openAuthority } from './certificates.ts';
import type { Identity } from './identity-folder.ts';
import { openNatsAuthority } from './nats-accounts.ts';
import { writePrivately } from './provide-identity.ts';

/** Ten years: the server is told of a new one by hand. */
const LIFETIME_MS = 3650 * 86_400_000;

/**
 * What a nats-server needs to be given, in a folder of its own: `server.crt` and `server.key`, and `accounts.conf` to
 * be included in its configuration, which says whom it trusts. The certificate is made once, the rest anew.
 */
export async function provideNatsServerFiles(folder: string, identity: Identity, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(join(folder, 'server.crt'))) {
    const authority = await openAuthority(identity.authority);
    const { certificate, key } = await authority.issueServer(name, LIFETIME_MS);
    writePrivately(folder, 'server.key', key);
    writePrivately(folder, 'server.crt', certificate);
  }
  const { operatorJwt, systemAccount } = await openNatsAuthority(identity.natsSecret);
  const lines = [
    `operator: ${operatorJwt}`,
    `system_account: ${systemAccount.publicKey}`,
    `resolver_preload: { ${systemAccount.publicKey}: ${systemAccount.jwt} }`,
  ];
  writePrivately(folder, 'accounts.conf', `${lines.join('\n')}\n`);
}

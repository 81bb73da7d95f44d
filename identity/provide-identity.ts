import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from './certificates.ts';
import { IDENTITY_FILES, readIdentity, type Identity } from './identity-folder.ts';

/** Makes what is missing in the folder, for its owner alone, and reads it. What is there is never replaced. */
export async function provideIdentity(folder: string): Promise<Identity> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(join(folder, IDENTITY_FILES.authorityCertificate))) {
    const { certificate, key } = await createAuthority();
    // The certificate comes last: where it is, the key is.
    writePrivately(folder, IDENTITY_FILES.authorityKey, key);
    writePrivately(folder, IDENTITY_FILES.authorityCertificate, certificate);
  }
  if (!existsSync(join(folder, IDENTITY_FILES.definitionsKey))) {
    const { privateKey } = generateKeyPairSync('ed25519');
    writePrivately(
      folder,
      IDENTITY_FILES.definitionsKey,
      privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    );
  }
  if (!existsSync(join(folder, IDENTITY_FILES.natsSecret)))
    writePrivately(folder, IDENTITY_FILES.natsSecret, randomBytes(32).toString('hex'));
  return readIdentity(folder);
}

/** Replaces a file at once; only its owner can read it. */
export function writePrivately(folder: string, name: string, text: string): void {
  const file = join(folder, name);
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

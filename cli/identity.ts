import { join } from 'node:path';
import { fingerprintOf } from '../identity/fingerprint.ts';
import { provideIdentity } from '../identity/provide-identity.ts';
import { provideNatsServerFiles } from '../identity/nats-server.ts';
import { NATS_NAME } from '../proto/server-names.ts';
import type { Answer } from './command.ts';

export async function initIdentity({ identity: folder }: { identity: string }): Promise<Answer> {
  const identity = await provideIdentity(folder);
  const nats = join(folder, 'nats');
  await provideNatsServerFiles(nats, identity, NATS_NAME);
  const fingerprint = fingerprintOf(identity.authority.certificate);
  const text = [
    `the collectors' keys are in ${folder}: give them to each collector, and to nobody else`,
    `what a nats-server needs is in ${nats}`,
    `the fingerprint of their authority, for AUTHORITY_FINGERPRINT: ${fingerprint}`,
  ].join('\n');
  return { text, json: { folder, fingerprint } };
}

import { fingerprintOf } from '../identity/fingerprint.ts';
import { provideIdentity } from '../identity/provide-identity.ts';
import type { Answer } from './command.ts';

export async function initIdentity({ identity: folder }: { identity: string }): Promise<Answer> {
  const { authority } = await provideIdentity(folder);
  const fingerprint = fingerprintOf(authority.certificate);
  const text = `the collectors' keys are in ${folder}: give the folder to each collector, and to nobody else`;
  return { text, json: { folder, fingerprint } };
}

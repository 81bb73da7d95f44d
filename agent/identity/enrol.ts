import { rm } from 'node:fs/promises';
import { createUser, fromSeed } from '@nats-io/nkeys';
import { z } from 'zod';
import type { Invitation } from '../../core/invitation.ts';
import { createKey, requestCertificate } from '../../identity/certificates.ts';
import { enrol, fetchAuthority } from '../../proto/enrolment.ts';
import { readKept, writeDurably } from '../durable-file.ts';
import { writeIdentityFile, type AgentIdentity } from './identity-file.ts';

const keysSchema = z.object({ secret: z.string(), key: z.string(), natsSeed: z.string() });
type Keys = z.output<typeof keysSchema>;

/**
 * Makes this agent's keys, asks for credentials with an invitation, and keeps both at `path`. The keys are kept before
 * they are shown to anyone: where the answer is lost, the same invitation serves once more.
 * @throws ForeignServerError where the server is not one of the invitation's authority; StreamEnd where it refuses
 *   (PERMISSION_DENIED) or cannot answer; Error where nobody answers
 */
export async function enrolAgent(invitation: Invitation, path: string): Promise<AgentIdentity> {
  const { collector, fingerprint, secret } = invitation;
  const authority = await fetchAuthority(collector, fingerprint);
  const keys = await provideKeys(`${path}.keys`, secret);
  const credentials = await enrol(collector, authority, {
    secret,
    certificateRequest: await requestCertificate(keys.key),
    natsUser: fromSeed(Buffer.from(keys.natsSeed)).getPublicKey(),
  });
  const { agentId, name, region, certificate, definitionsKey } = credentials;
  const identity = {
    agentId,
    name,
    region,
    collector,
    authority,
    certificate,
    key: keys.key,
    definitionsKey,
    nats: { url: credentials.natsUrl, seed: keys.natsSeed, jwt: credentials.natsJwt },
  };
  await writeIdentityFile(path, identity);
  await rm(`${path}.keys`, { force: true });
  return identity;
}

async function provideKeys(path: string, secret: string): Promise<Keys> {
  const kept = await readKept(path, keysSchema);
  if (kept?.secret === secret) return kept;
  const natsSeed = Buffer.from(createUser().getSeed()).toString();
  const keys = { secret, key: await createKey(), natsSeed };
  await writeDurably(path, JSON.stringify(keys));
  return keys;
}

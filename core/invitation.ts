import { createHash } from 'node:crypto';

/** What one copyable token says to an agent that is to be enrolled. */
export interface Invitation {
  /** host:port where collectors are to be reached. */
  collector: string;
  /** sha256 of the authority's certificate, 64 hexadecimal digits: any other server is refused. */
  fingerprint: string;
  /** 64 hexadecimal digits; known to the invited only, and good for one agent. */
  secret: string;
}

/** Where an invited agent reaches collectors, and by what it knows them. */
export type MeetingPoint = Pick<Invitation, 'collector' | 'fingerprint'>;

/** Where an agent on a host of its own keeps its state: the folder of the systemd unit and of the image. */
export const AGENT_STATE_DIR = '/var/lib/farwatch-agent';

/** The command by which the host that runs it, in the folder of the programs, becomes an agent. */
export function enrolCommand(token: string): string {
  return `FARWATCH_STATE_DIR=${AGENT_STATE_DIR} node dist/agent/main.js enrol ${token}`;
}

const PREFIX = 'fwi_';
const HASH_BYTES = 32;

/** The token: `fwi_` and base64url of fingerprint, secret and address. */
export function encodeInvitation({ collector, fingerprint, secret }: Invitation): string {
  const bytes = Buffer.concat([Buffer.from(fingerprint, 'hex'), Buffer.from(secret, 'hex'), Buffer.from(collector)]);
  return PREFIX + bytes.toString('base64url');
}

/** Reads a token, alone or at the end of the command that was printed with it; null where there is none. */
export function decodeInvitation(text: string): Invitation | null {
  const token = text.trim().split(/\s+/).at(-1) ?? '';
  if (!/^fwi_[\w-]+$/.test(token)) return null;
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
  const collector = bytes.subarray(2 * HASH_BYTES).toString('utf8');
  if (!/^\S+:\d{1,5}$/.test(collector)) return null;
  return {
    collector,
    fingerprint: bytes.subarray(0, HASH_BYTES).toString('hex'),
    secret: bytes.subarray(HASH_BYTES, 2 * HASH_BYTES).toString('hex'),
  };
}

/** sha256 of an invitation's secret: what is stored of it. */
export function hashInvitationSecret(secret: string): Buffer {
  return createHash('sha256').update(Buffer.from(secret, 'hex')).digest();
}

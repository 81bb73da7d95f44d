import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyedCertificate } from './certificates.ts';

/** The keys by which collectors are what they are; every collector is given the same. */
export interface Identity {
  authority: KeyedCertificate;
  /** Ed25519, PEM: signs definitions. */
  definitionsKey: string;
  /** 64 hexadecimal digits: the keys of NATS' operator and accounts follow from it. */
  natsSecret: string;
}

/** The folder is missing, incomplete, or readable by others; the message says what to do. */
export class IdentityFolderError extends Error {}

/** The files of the folder. */
export const IDENTITY_FILES = {
  authorityCertificate: 'authority.crt',
  authorityKey: 'authority.key',
  definitionsKey: 'definitions.key',
  natsSecret: 'nats.secret',
} as const;

/** Reads the folder. @throws IdentityFolderError */
export function readIdentity(folder: string): Identity {
  return {
    authority: { certificate: readAuthorityCertificate(folder), key: readSecret(folder, IDENTITY_FILES.authorityKey) },
    definitionsKey: readSecret(folder, IDENTITY_FILES.definitionsKey),
    natsSecret: readSecret(folder, IDENTITY_FILES.natsSecret).trim(),
  };
}

/** The authority's certificate alone, PEM, which is no secret. @throws IdentityFolderError */
export function readAuthorityCertificate(folder: string): string {
  return readPresent(folder, IDENTITY_FILES.authorityCertificate);
}

function readSecret(folder: string, name: string): string {
  const text = readPresent(folder, name);
  const { mode } = statSync(join(folder, name));
  if ((mode & 0o077) === 0) return text;
  throw new IdentityFolderError(`${join(folder, name)} can be read by others: chmod 600 it`);
}

function readPresent(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    const advice = why === 'ENOENT' ? 'make the folder with: farwatch identity init' : why;
    throw new IdentityFolderError(`${join(folder, name)} cannot be read: ${advice}`, { cause });
  }
}

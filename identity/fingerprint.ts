import { createHash, X509Certificate } from 'node:crypto';

/** sha256 of a certificate (PEM), 64 hexadecimal digits. @throws where it is no certificate. */
export function fingerprintOf(certificate: string): string {
  return hashOf(new X509Certificate(certificate).raw);
}

/** sha256, 64 hexadecimal digits. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
  X509Certificate,
  type Extension,
} from '@peculiar/x509';
import { fingerprintOf, hashOf } from './fingerprint.ts';

/** Certificates (RFC 5280) of one authority: an owner's own, which nobody else relies on. All keys are P-256. */

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** The authority and the servers are valid for clocks that are behind by this much. */
const SERVER_BACKDATED_MS = 30 * DAY_MS;
/** An agent's certificate is for clocks of collectors, which differ little. */
export const AGENT_BACKDATED_MS = 3_600_000;
const AUTHORITY_MS = 30 * 365 * DAY_MS;

/** A certificate with its key, both PEM; `certificate` ends with the authority's where it is a server's. */
export interface KeyedCertificate {
  certificate: string;
  key: string;
}

/** Who signs certificates. */
export interface Authority {
  /** PEM. */
  certificate: string;
  /** sha256 of the certificate, 64 hexadecimal digits: what an invitation carries. */
  fingerprint: string;
  /** A server's certificate for one name, valid for `lifetimeMs` from now. */
  issueServer(name: string, lifetimeMs: number): Promise<KeyedCertificate>;
  /** An agent's certificate (PEM) for the key of its request, and when it ends (unix milliseconds). */
  issueAgent(request: CertificateRequest, agentId: number, lifetimeMs: number): Promise<AgentCertificate>;
}

export interface AgentCertificate {
  certificate: string;
  expiresMs: number;
}

/** Makes a new authority. */
export async function createAuthority(nowMs: number = Date.now()): Promise<KeyedCertificate> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=farwatch authority',
    serialNumber: serialNumber(),
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(nowMs - SERVER_BACKDATED_MS),
    notAfter: new Date(nowMs + AUTHORITY_MS),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pemOf(certificate), key: await exportKey(keys.privateKey) };
}

/** Opens an authority that was made before. */
export async function openAuthority({ certificate, key }: KeyedCertificate): Promise<Authority> {
  const parsed = new X509Certificate(certificate);
  const signingKey = await importKey(key);
  const issue = async (leaf: Leaf): Promise<string> => {
    const issued = await X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: leaf.subject,
      issuer: parsed.subject,
      notBefore: new Date(leaf.fromMs),
      notAfter: new Date(leaf.toMs),
      publicKey: leaf.publicKey,
      signingKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        await AuthorityKeyIdentifierExtension.create(parsed.publicKey),
        ...leaf.extensions,
      ],
    });
    return pemOf(issued);
  };
  return {
    certificate,
    fingerprint: fingerprintOf(certificate),
    async issueServer(name, lifetimeMs) {
      const keys = await generateKeys();
      const nowMs = Date.now();
      const leaf = await issue({
        subject: `CN=${name}`,
        publicKey: keys.publicKey,
        fromMs: nowMs - SERVER_BACKDATED_MS,
        toMs: nowMs + lifetimeMs,
        extensions: [
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
          new SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
        ],
      });
      return { certificate: `${leaf}\n${certificate}`, key: await exportKey(keys.privateKey) };
    },
    async issueAgent(request, agentId, lifetimeMs) {
      const expiresMs = Date.now() + lifetimeMs;
      const leaf = await issue({
        subject: `CN=agent ${agentId}`,
        publicKey: request.publicKey,
        fromMs: Date.now() - AGENT_BACKDATED_MS,
        toMs: expiresMs,
        extensions: [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])],
      });
      return { certificate: leaf, expiresMs };
    },
  };
}

interface Leaf {
  subject: string;
  publicKey: webcrypto.CryptoKey;
  fromMs: number;
  toMs: number;
  extensions: Extension[];
}

/** A request that was proven to come from whoever holds its key. */
export interface CertificateRequest {
  publicKey: webcrypto.CryptoKey;
  /** sha256 of the key's SPKI form, 64 hexadecimal digits: by it an agent is known. */
  keyHash: string;
}

/** Makes a key (PEM) for an agent. */
export async function createKey(): Promise<string> {
  return exportKey((await generateKeys()).privateKey);
}

/** Asks for a certificate of a key: PKCS #10 (RFC 2986), PEM. What it is to say is for the authority to know. */
export async function requestCertificate(key: string): Promise<string> {
  const privateKey = await importKey(key);
  const keys = { privateKey, publicKey: await publicKeyOf(privateKey) };
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=agent',
    keys,
    signingAlgorithm: ALGORITHM,
  });
  return request.toString('pem');
}

/** Reads a request from anyone; null where it is none, has a key of another kind, or is not signed by that key. */
export async function readCertificateRequest(pem: string): Promise<CertificateRequest | null> {
  try {
    const request = new Pkcs10CertificateRequest(pem);
    // Typed by the DOM's library, which is not Node's; it is what the provider set above made.
    const publicKey = await request.publicKey.export(ALGORITHM, ['verify']);
    if (!(await request.verify())) return null;
    const spki = await webcrypto.subtle.exportKey('spki', publicKey);
    return { publicKey, keyHash: hashOf(Buffer.from(spki)) };
  } catch {
    // Text of a stranger: whatever the parser objects to, it is no request.
    return null;
  }
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [der] = PemConverter.decode(pem);
  if (der === undefined) throw new Error('no private key in this PEM');
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']);
}

async function publicKeyOf(privateKey: webcrypto.CryptoKey): Promise<webcrypto.CryptoKey> {
  const { kty, crv, x, y } = await webcrypto.subtle.exportKey('jwk', privateKey);
  return webcrypto.subtle.importKey('jwk', { kty, crv, x, y }, ALGORITHM, true, ['verify']);
}

/** RFC 5280 4.1.2.2: positive, at most 20 octets, and not to be guessed. */
function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`;
}

function pemOf(certificate: X509Certificate): string {
  return certificate.toString('pem');
}

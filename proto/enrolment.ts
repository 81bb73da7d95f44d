import { createHash } from 'node:crypto';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import type { MethodDefinition } from '@grpc/grpc-js';
import { openClient, type AgentTls } from './agent-client.ts';
import type { Credentials, EnrolRequest, RenewRequest } from './messages.ts';
import { COLLECTOR_NAME } from './server-names.ts';
import { streamEndOf } from './stream-end.ts';
import { collectorService, enrolmentService } from './wire.ts';

const DEADLINE_MS = 15_000;

/** The server at the address is not one of the authority that the invitation names. */
export class ForeignServerError extends Error {}

/**
 * The certificate (PEM) of the authority with this fingerprint (sha256, hexadecimal), as the collector at host:port
 * shows it. Nothing is told to the server; whether it holds a key of that authority shows when it is next connected to.
 * @throws ForeignServerError where it shows none with that fingerprint, Error where nobody answers.
 */
export async function fetchAuthority(address: string, fingerprint: string): Promise<string> {
  const chain = await shownChain(address);
  const found = chain.find((raw) => createHash('sha256').update(raw).digest('hex') === fingerprint);
  if (found === undefined)
    throw new ForeignServerError(`the server at ${address} is not one of the authority that the invitation names`);
  const lines = found.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** DER of the certificates that a server shows, its own first. */
function shownChain(address: string): Promise<Buffer[]> {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(address.slice(at + 1)),
      servername: COLLECTOR_NAME,
      ALPNProtocols: ['h2'],
      minVersion: 'TLSv1.3',
      // Nothing is trusted yet: the fingerprint decides, and the next connection verifies.
      rejectUnauthorized: false,
      timeout: DEADLINE_MS,
    });
    socket.once('timeout', () => socket.destroy(new Error(`no answer from ${address}`)));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(chainOf(socket.getPeerCertificate(true)));
      socket.destroy();
    });
  });
}

function chainOf(leaf: DetailedPeerCertificate): Buffer[] {
  const chain: Buffer[] = [];
  for (let next: DetailedPeerCertificate | undefined = leaf; next?.raw !== undefined; next = next.issuerCertificate) {
    // A root names itself as its issuer.
    if (chain.some((raw) => raw.equals(next?.raw ?? raw))) break;
    chain.push(next.raw);
  }
  return chain;
}

/** Shows an invitation to the collector at host:port. @throws StreamEnd: PERMISSION_DENIED, UNAVAILABLE and so on. */
export function enrol(address: string, authority: string, request: EnrolRequest): Promise<Credentials> {
  return callOnce(address, { authority, own: null }, enrolmentService().Enrol, request);
}

/** Asks for new credentials by the old ones. @throws StreamEnd */
export function renew(address: string, tls: AgentTls, request: RenewRequest): Promise<Credentials> {
  return callOnce(address, tls, collectorService().Renew, request);
}

function callOnce<Request>(
  address: string,
  tls: AgentTls,
  { path, requestSerialize, responseDeserialize }: MethodDefinition<Request, Credentials>,
  request: Request,
): Promise<Credentials> {
  const client = openClient(address, tls);
  return new Promise<Credentials>((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      { deadline: Date.now() + DEADLINE_MS },
      (error, credentials) => (credentials === undefined ? reject(streamEndOf(error)) : resolve(credentials)),
    );
  }).finally(() => client.close());
}

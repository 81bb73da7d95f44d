import { Resolver } from 'node:dns/promises';
import { startDeadline, type BootClock } from './deadline.ts';

/** How a name server that answered did not give records (RFC 1035 4.1.1 and what c-ares makes of it). */
export type DnsRefusal =
  'nxdomain' | 'nodata' | 'servfail' | 'refused' | 'formerr' | 'notimp' | 'badname' | 'badresp' | 'unreachable';

/**
 * What asking one name server came to. `unreachable`: nothing could be sent, or its port is closed; c-ares does not
 * tell the two apart.
 */
export type Asked<T> =
  | { kind: 'answer'; value: T }
  | { kind: 'refusal'; code: DnsRefusal }
  | { kind: 'silence'; end: 'timeout' | 'stalled' | 'cut' };

/** One question to a resolver: which of its methods, and for which name. */
export type Question<T> = (resolver: Resolver) => Promise<T>;

const REFUSALS: Record<string, DnsRefusal> = {
  ENOTFOUND: 'nxdomain',
  ENODATA: 'nodata',
  ESERVFAIL: 'servfail',
  EREFUSED: 'refused',
  EFORMERR: 'formerr',
  ENOTIMP: 'notimp',
  EBADNAME: 'badname',
  EBADQUERY: 'badname',
  ECONNREFUSED: 'unreachable',
};

/** c-ares rounds its own timeout up to a whole tick and doubles it (feasibility §2), so the deadline is ours. */
const NEVER = { timeout: 60_000, tries: 1 };

/**
 * Asks one server (`address:port`, `[IPv6]:port`) one question, at most `ms` milliseconds. Truncated answers are asked
 * again over TCP by c-ares. Never rejects.
 */
export function askServer<T>(
  server: string,
  question: Question<T>,
  ms: number,
  signal: AbortSignal,
  clock?: BootClock,
): Promise<Asked<T>> {
  return new Promise((resolve) => {
    const resolver = new Resolver(NEVER);
    resolver.setServers([server]);
    const finish = (asked: Asked<T>): void => {
      deadline.clear();
      signal.removeEventListener('abort', onAbort);
      resolve(asked);
      resolver.cancel();
    };
    const onAbort = (): void => finish({ kind: 'silence', end: 'cut' });
    const asked = signal.aborted ? null : question(resolver);
    // The question has left: from here on the server has its whole time.
    const deadline = startDeadline(ms, (end) => finish({ kind: 'silence', end }), clock);
    if (asked === null) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    asked.then(
      (value) => finish({ kind: 'answer', value }),
      (error: NodeJS.ErrnoException) => finish(refusal(error)),
    );
  });
}

function refusal(error: NodeJS.ErrnoException): Asked<never> {
  if (error.code === 'ETIMEOUT' || error.code === 'ECANCELLED') return { kind: 'silence', end: 'timeout' };
  return { kind: 'refusal', code: REFUSALS[error.code ?? ''] ?? 'badresp' };
}

/** How a server's address and port are named to c-ares. */
export function serverText(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

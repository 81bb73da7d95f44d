import type { Problem } from './target.ts';

/**
 * How a connection ended. `unresolved`: the host's name does not exist. `unmeasured`: this agent could not measure.
 * `error`: another error, named in the attempt's detail.
 */
export type TcpCode = 'open' | 'refused' | 'timeout' | 'unreachable' | 'reset' | 'unresolved' | 'error' | 'unmeasured';

/** Errors of this host's own descriptors, buffers and ports, whenever they come. */
const DESCRIPTORS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EAGAIN']);

const TARGET_CODES: Record<string, TcpCode> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  ENOPROTOOPT: 'unreachable',
  EACCES: 'unreachable',
};

/**
 * Whose fault a failed connect is. What connect() returns at once, before a packet could leave, is the agent's own:
 * no descriptor, or no route (ENETUNREACH, EHOSTUNREACH, EACCES, EPERM, EINVAL, EAFNOSUPPORT: an unreachable, prohibit
 * or blackhole route, or no such address family). What comes later came from the network, as a RST (refused, reset) or
 * an ICMP error (RFC 1122 4.2.3.9; unreachable), or from a neighbour that does not answer: the target's, though
 * `unreachable` is no proof that the agent was connected, since its own gateway may have said it.
 */
export function judgeConnectError(errno: string, atOnce: boolean): { code: TcpCode; problem: Problem | null } {
  if (DESCRIPTORS.has(errno)) return agentFault('descriptors', errno);
  if (atOnce && errno !== 'ECONNREFUSED') return agentFault('route', errno);
  return { code: TARGET_CODES[errno] ?? 'error', problem: null };
}

function agentFault(reason: 'descriptors' | 'route', errno: string): { code: TcpCode; problem: Problem } {
  const detail =
    reason === 'route' ? `no route to the target (${errno})` : `no free descriptor, port or buffer (${errno})`;
  return { code: 'unmeasured', problem: { reason, detail, cause: 'AGENT' } };
}

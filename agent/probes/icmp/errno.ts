import type { UnknownReason } from '../../../core/outcome.ts';
import type { EchoProblem } from './host-echo.ts';

/** `raw-socket` hands on strerror(3)'s text and no number: glibc's wording, then musl's where it differs. */
const ERRNO_BY_TEXT: Record<string, string> = {
  'Operation not permitted': 'EPERM',
  'Permission denied': 'EACCES',
  'Too many open files': 'EMFILE',
  'No file descriptors available': 'EMFILE',
  'Too many open files in system': 'ENFILE',
  'No buffer space available': 'ENOBUFS',
  'Cannot allocate memory': 'ENOMEM',
  'Out of memory': 'ENOMEM',
  'Resource temporarily unavailable': 'EAGAIN',
  'Interrupted system call': 'EINTR',
  'Network is down': 'ENETDOWN',
  'Network is unreachable': 'ENETUNREACH',
  'Network unreachable': 'ENETUNREACH',
  'No route to host': 'EHOSTUNREACH',
  'Host is unreachable': 'EHOSTUNREACH',
  'Cannot assign requested address': 'EADDRNOTAVAIL',
  'Address not available': 'EADDRNOTAVAIL',
  'Address family not supported by protocol': 'EAFNOSUPPORT',
  'Invalid argument': 'EINVAL',
  'Connection refused': 'ECONNREFUSED',
};

/** The name of the error number behind a raw socket's exception; null where its text is not known. */
export function errnoOf(error: unknown): string | null {
  return error instanceof Error ? (ERRNO_BY_TEXT[error.message] ?? null) : null;
}

const PERMISSION_FIX =
  'give the agent CAP_NET_RAW (systemd: AmbientCapabilities=CAP_NET_RAW, containers: --cap-add NET_RAW)';

const REASONS: Record<string, UnknownReason> = {
  EPERM: 'permission',
  EACCES: 'permission',
  EMFILE: 'descriptors',
  ENFILE: 'descriptors',
  ENOBUFS: 'descriptors',
  ENOMEM: 'descriptors',
  EAGAIN: 'descriptors',
};

/**
 * Why this agent could not open a socket or send on it. All of it is its own fault, never the target's: what is not
 * permission or resources is routing (ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EINVAL of a blackhole route, ...).
 */
export function socketProblem(action: 'open' | 'send', error: unknown): EchoProblem {
  const text = error instanceof Error ? error.message : String(error);
  const errno = errnoOf(error) ?? 'unknown error';
  const reason = REASONS[errno] ?? 'route';
  const fix = action === 'open' && reason === 'permission' ? `; ${PERMISSION_FIX}` : '';
  return { reason, detail: `cannot ${action === 'open' ? 'open a raw socket' : 'send'}: ${text} (${errno})${fix}` };
}

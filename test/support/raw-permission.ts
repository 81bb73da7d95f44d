import { execFileSync } from 'node:child_process';

/**
 * How ICMP tests may run here: in network namespaces of their own (as root or where user namespaces are allowed), or
 * not at all. Traffic of theirs never meets the machine's own networks.
 */
export const rawPermission: { unshare: readonly string[] | null; veth: boolean } = detect();

/** What a test without permission is named with among those not run. */
export const NO_RAW_SOCKETS = 'ICMP tests need a network namespace of their own (unshare -Urn, or root)';
export const NO_VETH = 'ICMP tests with routers need the ip command (iproute2)';

function detect(): { unshare: readonly string[] | null; veth: boolean } {
  // As root without a user namespace, in which nobody could become another user.
  const unshare = [['-n'], ['-Urn']].find((flags) => works('unshare', [...flags, 'nsenter', '--version'])) ?? null;
  return { unshare, veth: unshare !== null && works('ip', ['-V']) };
}

function works(program: string, parameters: readonly string[]): boolean {
  try {
    execFileSync(program, parameters, { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    // Not installed or not allowed: either way the tests that need it cannot run.
    return false;
  }
}

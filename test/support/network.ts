import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rawPermission } from './raw-permission.ts';

/** A network namespace of a test's own, with a loopback that is up. It ends with `close`, or with this process. */
export interface Network {
  pid: number;
  /** Whether it has a user namespace of its own. */
  ownUsers: boolean;
  /** A command line that runs another one inside. */
  inside(...command: string[]): string[];
  /** Runs a command inside and returns what it printed. */
  run(...command: string[]): string;
  close(): Promise<void>;
}

/** What `ip link set lo up` does, where there may be no `ip`: SIOCSIFFLAGS with IFF_UP and IFF_RUNNING. */
const LOOPBACK_UP =
  "import socket,fcntl,struct;fcntl.ioctl(socket.socket(),0x8914,struct.pack('16sH14x',b'lo',0x41));" +
  "import sys;print('up',flush=True);sys.stdin.read()";

/** Makes a namespace; with `beside`, one whose interfaces that one may give away (the same user namespace). */
export async function makeNetwork(beside?: Network): Promise<Network> {
  const flags = beside ? ['-n'] : rawPermission.unshare;
  if (flags === null) throw new Error('no permission to make a network namespace');
  const [file = '', ...parameters] = (beside ?? here).inside('unshare', ...flags, 'python3', '-c', LOOPBACK_UP);
  const holder = spawn(file, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return network(holder, beside?.ownUsers ?? flags.includes('-Urn'));
}

/** The namespace of this process. */
export const here: Network = {
  pid: process.pid,
  ownUsers: false,
  inside: (...command) => command,
  run: (file = '', ...parameters) => execFileSync(file, parameters, { encoding: 'utf8' }),
  close: () => Promise.resolve(),
};

function network(holder: ChildProcess, ownUsers: boolean): Network {
  const { pid } = holder;
  if (pid === undefined) throw new Error('the namespace did not start');
  const enter = ['nsenter', '-t', String(pid), ...(ownUsers ? ['-U', '--preserve-credentials'] : []), '-n', '--'];
  const inside = (...command: string[]): string[] => [...enter, ...command];
  return {
    pid,
    ownUsers,
    inside,
    run(...command) {
      const [file = '', ...parameters] = inside(...command);
      return execFileSync(file, parameters, { encoding: 'utf8' });
    },
    async close() {
      const ended = once(holder, 'exit');
      holder.stdin?.end();
      await ended;
    },
  };
}

/** Joins two namespaces by a pair of interfaces with addresses like 10.0.0.1/24; both are up when it returns. */
export function join(
  a: Network,
  aName: string,
  aAddresses: string[],
  b: Network,
  bName: string,
  bAddresses: string[],
): void {
  a.run('ip', 'link', 'add', aName, 'type', 'veth', 'peer', 'name', bName, 'netns', String(b.pid));
  const ends = [
    [a, aName, aAddresses],
    [b, bName, bAddresses],
  ] as const;
  for (const [network, name, addresses] of ends) {
    for (const address of addresses) {
      // Without duplicate address detection an IPv6 address is usable at once.
      const flags = address.includes(':') ? ['nodad'] : [];
      network.run('ip', 'address', 'add', address, 'dev', name, ...flags);
    }
    network.run('ip', 'link', 'set', name, 'up');
  }
}

/** Makes a namespace's kernel answer no echo request, so that a test's own answers are the only ones. */
export function muteEcho(network: Network): void {
  for (const name of ['ipv4/icmp_echo_ignore_all', 'ipv6/icmp/echo_ignore_all']) writeSetting(network, name, 1);
}

/** Writes /proc/sys/net/`name` of a namespace. */
export function writeSetting(network: Network, name: string, value: number): void {
  network.run('sh', '-c', `echo ${value} > /proc/sys/net/${name}`);
}

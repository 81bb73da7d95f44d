import { here, join, makeNetwork, muteEcho } from '../support/network.ts';
import { rawPermission } from '../support/raw-permission.ts';
import { AGENTS, type AgentName } from './names.ts';

/** Where a run's parts stand: each agent on a host of its own, all else on one that they reach over a cable. */
export interface Hosts {
  /** Of everything but the agents, as they see it. */
  address: string;
  /** The first three bytes of addresses that only PING targets have. */
  pingNetwork: string;
  /** Whether nobody but the run answers pings: else the kernel does. */
  mute: boolean;
  of(agent: AgentName): AgentHost;
}

export interface AgentHost {
  address: string;
  /** A command line that runs another one there. */
  inside: (...command: string[]) => string[];
  /** Null: it stands where all else does, and has none. */
  cable: { pull(): void; plug(): void } | null;
}

/** Why agents keep their network; null: they can lose it. */
export const HOSTS_ARE_ONE =
  rawPermission.veth && rawPermission.unshare?.[0] === '-n'
    ? null
    : 'agents have hosts of their own where there are root and the ip command (iproute2)';

/** Where each run cannot have hosts of its own all stand on this machine's loopback. */
export function shareHost(): Hosts {
  const agent: AgentHost = { address: '127.0.0.1', inside: (...command) => command, cable: null };
  return {
    address: '127.0.0.1',
    pingNetwork: `127.${10 + (process.pid % 240)}.${10 + (Math.floor(process.pid / 240) % 240)}`,
    mute: false,
    of: () => agent,
  };
}

/**
 * Makes a host for each agent, with a cable to this process's, which has to be a network namespace of the run's own.
 * They end with this process.
 */
export async function openHosts(): Promise<Hosts> {
  const address = '10.90.0.1';
  const pingNetwork = '10.91.0';
  here.run('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
  here.run('ip', 'route', 'add', 'local', `${pingNetwork}.0/24`, 'dev', 'lo');
  muteEcho(here);
  const hosts = new Map<AgentName, AgentHost>();
  for (const [index, name] of AGENTS.entries()) {
    const [port, ours, theirs] = [`to-${name}`, `10.92.${index}.1`, `10.92.${index}.2`];
    const network = await makeNetwork(here);
    join(here, port, [`${ours}/30`], network, 'cable', [`${theirs}/30`]);
    network.run('ip', 'route', 'add', 'default', 'via', ours);
    const set = (state: 'up' | 'down') => (): void => void here.run('ip', 'link', 'set', port, state);
    hosts.set(name, {
      address: theirs,
      inside: (...command) => network.inside(...command),
      // This end: the other one's routes stay, as with a switch that is off.
      cable: { pull: set('down'), plug: set('up') },
    });
  }
  const of = (agent: AgentName): AgentHost => {
    const host = hosts.get(agent);
    if (host === undefined) throw new Error(`${agent} has no host`);
    return host;
  };
  return { address, pingNetwork, mute: true, of };
}

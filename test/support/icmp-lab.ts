import type { TestContext } from 'vitest';
import { icmpCommand, startIcmp, type IcmpClient } from '../../agent/probes/icmp/client.ts';
import type { ProcessExit } from '../../agent/probes/icmp/kept-process.ts';
import { makeNetwork, type Network } from './network.ts';
import { NO_RAW_SOCKETS, rawPermission } from './raw-permission.ts';

/** A signal that nobody aborts. */
export const never = new AbortController().signal;

/** A network of a test file's own and the ICMP process in it, as the agent starts it. */
export interface Lab {
  network: Network;
  icmp: IcmpClient;
  exits: ProcessExit[];
  close(): Promise<void>;
}

export async function openLab(command: readonly string[] = icmpCommand()): Promise<Lab> {
  const network = await makeNetwork();
  const exits: ProcessExit[] = [];
  const icmp = startIcmp({ command: network.inside(...command), onExit: (exit) => exits.push(exit) });
  return {
    network,
    icmp,
    exits,
    async close() {
      await icmp.close();
      await network.close();
    },
  };
}

/** Names a test as not run where there is no permission for it. */
export function needRawSockets(context: TestContext): void {
  context.skip(rawPermission.unshare === null, NO_RAW_SOCKETS);
}

import { PROBE_KINDS, type ProbeKind } from '../core/type-data.ts';
import type { Logger } from '../runtime/logger.ts';
import { sleep } from '../runtime/time.ts';
import type { IcmpClient } from './probes/icmp/client.ts';

const LOOK_EVERY_MS = 60_000;
/** What its owner has to do; the line stands in the log and in the agent's status. */
const FIX =
  'PING needs raw sockets: run `setcap cap_net_raw+ep` on the node binary, or set AmbientCapabilities=CAP_NET_RAW in the systemd unit';

/** Looks now and then whether this agent can do what it is told to. */
export class Ability {
  readonly #icmp: Pick<IcmpClient, 'able'>;
  readonly #logger: Logger;
  #problem: string | null = null;
  #hasLooked = false;

  constructor(icmp: Pick<IcmpClient, 'able'>, logger: Logger) {
    this.#icmp = icmp;
    this.#logger = logger;
  }

  problems(): string[] {
    return this.#problem === null ? [] : [this.#problem];
  }

  /** The kinds of probes that work; null before that is known. */
  kinds(): ProbeKind[] | null {
    if (!this.#hasLooked) return null;
    return PROBE_KINDS.filter((kind) => kind !== 'PING' || this.#problem === null);
  }

  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const families = await this.#icmp.able();
      const isForbidden = families[4]?.reason === 'permission' || families[6]?.reason === 'permission';
      if (isForbidden && this.#problem === null) this.#logger.error({ fix: FIX }, 'raw sockets are not permitted');
      this.#problem = isForbidden ? FIX : null;
      this.#hasLooked = true;
      await sleep(LOOK_EVERY_MS, signal);
    }
  }
}

import { PROBE_KINDS, type ProbeKind } from '../core/type-data.ts';
import type { Logger } from '../runtime/logger.ts';
import { sleep } from '../runtime/time.ts';
import type { IcmpClient } from './probes/icmp/client.ts';

const LOOK_EVERY_MS = 60_000;
/** A process that ended a moment ago is there again by now, if it ever will be. */
const LOOK_AGAIN_MS = 5000;
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
      let problem = await this.#look();
      if (problem !== null && problem !== FIX && this.#problem === null) {
        await sleep(LOOK_AGAIN_MS, signal);
        problem = await this.#look();
      }
      if (problem !== null && this.#problem === null) this.#logger.error({ problem }, 'pings cannot be sent');
      this.#problem = problem;
      this.#hasLooked = true;
      await sleep(LOOK_EVERY_MS, signal);
    }
  }

  /** Why no ping of either family can be sent; null: some can. */
  async #look(): Promise<string | null> {
    const { 4: four, 6: six } = await this.#icmp.able();
    if (four?.reason === 'permission' || six?.reason === 'permission') return FIX;
    return four === null || six === null ? null : `PING does not work: ${four.detail}`;
  }
}

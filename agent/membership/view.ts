import type { ProbeKind } from '../../core/type-data.ts';
import { weightOf } from './rendezvous.ts';

/** What decides to whom a slot belongs; the same in all agents of a region that know the monitor. */
export interface Claim {
  monitorId: number;
  /** Null: there is nothing to run, any agent can say so. */
  kind: ProbeKind | null;
  /** The slot's own moment, unix milliseconds: a tenure that begins or ends does so between slots. */
  turnMs: number;
  /** The generation in which this definition first came: who has not adopted it cannot run it. */
  sinceGeneration: number;
}

/** The time in which one life of an agent runs its share. */
export interface Tenure {
  agentId: number;
  session: string;
  /** Null: it has not said yet from when. */
  fromMs: number | null;
  untilMs: number | null;
  kinds: readonly string[];
  /** Definitions newer than this it is known to lack; null: none. */
  lacksAfter: number | null;
}

/** Whether a slot is the agent's own. */
export type Owns = (claim: Claim) => boolean;

/** Who is there, as one agent sees it: itself always, others as long as they are heard. */
export class View {
  /** Of the agent whose view this is. */
  readonly session: string;
  readonly tenures: readonly Tenure[];

  constructor(session: string, tenures: readonly Tenure[]) {
    this.session = session;
    this.tenures = tenures;
  }

  isOwn(claim: Claim): boolean {
    return this.ownerOf(claim)?.session === this.session;
  }

  /**
   * The agent a slot belongs to: of those that have its definition, can run its kind and run their share at its turn the
   * one with the highest weight. Where no agent meets a condition it is waived, the last one first, so that a slot has an
   * owner as long as anybody is there. Null: all have left.
   */
  ownerOf(claim: Claim): Tenure | null {
    let owner: Tenure | null = null;
    let best = -1;
    let bestWeight = -1;
    for (const tenure of this.tenures) {
      const rank = rankOf(tenure, claim);
      if (rank < 0 || rank < best) continue;
      const weight = weightOf(tenure.agentId, claim.monitorId);
      if (rank === best && !isHeavier(weight, tenure, bestWeight, owner)) continue;
      [owner, best, bestWeight] = [tenure, rank, weight];
    }
    return owner;
  }

  /** Whether an agent is still as good for a slot as it was in an earlier view. */
  stillHolds(before: Tenure, claim: Claim): boolean {
    const now = this.tenures.find(({ agentId, session }) => agentId === before.agentId && session === before.session);
    return now !== undefined && rankOf(now, claim) >= rankOf(before, claim);
  }
}

function isHeavier(weight: number, tenure: Tenure, bestWeight: number, owner: Tenure | null): boolean {
  if (weight !== bestWeight) return weight > bestWeight;
  return owner === null || tenure.agentId < owner.agentId;
}

/** How good a tenure is for a slot, the conditions in the order of their weight; -1: not at all. */
function rankOf({ fromMs, untilMs, kinds, lacksAfter }: Tenure, claim: Claim): number {
  if (untilMs !== null && claim.turnMs >= untilMs) return -1;
  const hasIt = lacksAfter === null || claim.sinceGeneration <= lacksAfter;
  const isCapable = claim.kind === null || kinds.includes(claim.kind);
  const isIn = fromMs !== null && claim.turnMs >= fromMs;
  return (hasIt ? 4 : 0) + (isCapable ? 2 : 0) + (isIn ? 1 : 0);
}

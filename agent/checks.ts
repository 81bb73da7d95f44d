import { unknownReason, type Outcome } from '../core/outcome.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/logger.ts';
import { Ability } from './ability.ts';
import { createCheckAnswerer } from './check-request.ts';
import { createExaminer, type Examine } from './check.ts';
import { createConnectionEvidence, type ConnectionEvidence } from './connection-evidence.ts';
import type { AddressClass } from './policy.ts';
import { startIcmp } from './probes/icmp/client.ts';
import { createOwnResolver } from './probes/own-resolver.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import type { Check } from './schedule-running.ts';

export interface ChecksOptions {
  allow: readonly AddressClass[];
  monotonicMs: () => number;
  /** Asks the collector for an acknowledgement. */
  ask: () => void;
  logger: Logger;
}

/** Everything that measures. */
export interface Checks {
  check: Check;
  answer: ReturnType<typeof createCheckAnswerer>;
  evidence: ConnectionEvidence;
  ability: Ability;
  /** UNKNOWN outcomes by reason. */
  unknown: ReadonlyMap<string, number>;
}

/** Opens the probes and what they need; they are closed with the program. */
export function openChecks({ allow, monotonicMs, ask, logger }: ChecksOptions, life: Lifecycle): Checks {
  const icmp = startIcmp({ onExit: (exit) => logger.warn({ exit }, 'icmp process ended') });
  life.onClose('icmp', () => icmp.close());
  const sandbox = createSandbox({ monotonicMs });
  life.onClose('sandbox', () => sandbox.close());
  const evidence = createConnectionEvidence({ monotonicMs, ask });
  const examine = createExaminer({ icmp, sandbox, resolver: createOwnResolver(), allow, evidence, monotonicMs });
  const unknown = new Map<string, number>();
  return {
    check: counting(examine, unknown),
    answer: createCheckAnswerer(examine),
    evidence,
    ability: new Ability(icmp, logger),
    unknown,
  };
}

function counting(examine: Examine, unknown: Map<string, number>): Check {
  return async (probe, signal): Promise<Outcome> => {
    const { outcome } = await examine(probe, signal);
    if (outcome.status !== 'UNKNOWN') return outcome;
    const reason = unknownReason(outcome.error) ?? 'other';
    unknown.set(reason, (unknown.get(reason) ?? 0) + 1);
    return outcome;
  };
}

import type { Lifecycle } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/logger.ts';
import { Ability } from './ability.ts';
import { createCheckAnswerer } from './check-request.ts';
import { createExaminer } from './check.ts';
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
}

/** Opens the probes and what they need; they are closed with the program. */
export function openChecks({ allow, monotonicMs, ask, logger }: ChecksOptions, life: Lifecycle): Checks {
  const icmp = startIcmp({ onExit: (exit) => logger.warn({ exit }, 'icmp process ended') });
  life.onClose('icmp', () => icmp.close());
  const sandbox = createSandbox({ monotonicMs });
  life.onClose('sandbox', () => sandbox.close());
  const evidence = createConnectionEvidence({ monotonicMs, ask });
  const examine = createExaminer({ icmp, sandbox, resolver: createOwnResolver(), allow, evidence, monotonicMs });
  return {
    check: async (probe, signal) => (await examine(probe, signal)).outcome,
    answer: createCheckAnswerer(examine),
    evidence,
    ability: new Ability(icmp, logger),
  };
}

import type { Lifecycle } from '../runtime/lifecycle.ts';
import type { ListenAddress } from '../runtime/listen-address.ts';
import type { Logger } from '../runtime/logger.ts';
import { Ability } from './ability.ts';
import { createCheckAnswerer } from './check-request.ts';
import { createExaminer } from './check.ts';
import { createConnectionEvidence, type ConnectionEvidence } from './connection-evidence.ts';
import type { AddressClass } from './policy.ts';
import { startIcmp } from './probes/icmp/client.ts';
import { createOwnResolver } from './probes/own-resolver.ts';
import { createReferences, type References } from './references.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import type { Check } from './schedule-running.ts';

export interface ChecksOptions {
  allow: readonly AddressClass[];
  /** Hosts whose answers show that this one is connected. */
  references: readonly ListenAddress[];
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
  references: Pick<References, 'problem'>;
}

/** Opens the probes and what they need; they are closed with the program. */
export function openChecks(
  { allow, references: addresses, monotonicMs, ask, logger }: ChecksOptions,
  life: Lifecycle,
): Checks {
  const icmp = startIcmp({ onExit: (exit) => logger.warn({ exit }, 'icmp process ended') });
  life.onClose('icmp', () => icmp.close());
  const sandbox = createSandbox({ monotonicMs });
  life.onClose('sandbox', () => sandbox.close());
  const references = createReferences({
    addresses,
    monotonicMs,
    onAnswer: (...answer) => evidence.noteAnswer(...answer),
  });
  // Where its owner has named references, the collector, which may stand beside the agent, says nothing of what is beyond.
  const evidence = createConnectionEvidence(
    addresses.length > 0 ? { monotonicMs, ask: () => references.ask(), ackReach: 'private' } : { monotonicMs, ask },
  );
  const examine = createExaminer({ icmp, sandbox, resolver: createOwnResolver(), allow, evidence, monotonicMs });
  return {
    check: async (probe, signal) => (await examine(probe, signal)).outcome,
    answer: createCheckAnswerer(examine),
    evidence,
    ability: new Ability(icmp, logger),
    references,
  };
}

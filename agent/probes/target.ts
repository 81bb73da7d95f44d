import type { Cause, UnknownReason } from '../../core/outcome.ts';

/** Why this agent could not measure: the material of an UNKNOWN outcome. */
export interface Problem {
  reason: UnknownReason;
  /** For a person; the reason is named beside it, so it is not repeated here. */
  detail: string;
  cause: Cause;
}

/**
 * What became of a host before it is measured: one address (IPv4 first, no happy eyeballs), a problem of this agent, or
 * a definite answer that there is nothing to measure (the name does not exist), which is the target's own fault.
 */
export type ResolvedTarget =
  | { kind: 'address'; address: string; family: 4 | 6 }
  | ({ kind: 'problem' } & Problem)
  | { kind: 'definite'; error: string };

/** A host as the monitor's configuration names it. */
export interface HostName {
  type: 'IP4' | 'IP6' | 'DOMAIN';
  host: string;
}

/** Finds the one address of a host that may be probed. Never rejects: what goes wrong is an answer. */
export type Resolve = (host: HostName, signal: AbortSignal) => Promise<ResolvedTarget>;

import { connect } from 'node:net';
import type { ListenAddress } from '../runtime/listen-address.ts';

/** A reference that takes longer to accept proves nothing any more. */
const TIMEOUT_MS = 3000;
/** All of them silent for this long: who calls a target DOWN has no evidence of that, and the owner should know. */
const SILENT_PROBLEM_MS = 120_000;

export interface ReferencesOptions {
  addresses: readonly ListenAddress[];
  monotonicMs: () => number;
  /** A reference accepted, now, a connection that was begun at `sentMs`. */
  onAnswer: (address: string, sentMs: number, answeredMs: number) => void;
}

/** Hosts that the agent's owner names because they always answer: where they do, the agent is connected. */
export interface References {
  /** Tries each one, unless it is being tried. */
  ask(): void;
  /** What the owner should know; null: nothing. */
  problem(): string | null;
}

/** Each is one TCP connection that is opened and dropped; only one that opens is an answer, since a router can refuse. */
export function createReferences({ addresses, monotonicMs, onAnswer }: ReferencesOptions): References {
  const tried = new Set<ListenAddress>();
  let answeredMs = monotonicMs();
  const tryOne = (address: ListenAddress): void => {
    if (tried.has(address)) return;
    tried.add(address);
    const sentMs = monotonicMs();
    const socket = connect({ ...address, timeout: TIMEOUT_MS });
    // It proves nothing but that it is there: the process may end meanwhile.
    socket.unref();
    socket.once('connect', () => {
      answeredMs = monotonicMs();
      onAnswer(address.host, sentMs, answeredMs);
      socket.resetAndDestroy();
    });
    socket.once('timeout', () => socket.destroy());
    socket.once('error', () => socket.destroy());
    socket.once('close', () => tried.delete(address));
  };
  return {
    ask: () => addresses.forEach(tryOne),
    problem() {
      const isSilent = addresses.length > 0 && monotonicMs() - answeredMs > SILENT_PROBLEM_MS;
      return isSilent ? 'none of FARWATCH_REFERENCES accepts a connection' : null;
    },
  };
}

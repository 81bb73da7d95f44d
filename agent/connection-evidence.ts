import { networkInterfaces } from 'node:os';
import { sleep as pause } from '../runtime/time.ts';
import { classifyAddress } from './policy.ts';

/** Instants at most this far apart prove that the agent was connected in between. */
const MAX_GAP_MS = 5000;
/** How long silence waits for proof before it is UNKNOWN. */
const WAIT_MS = 4000;
/** Without proof for this long, `keep` asks for one. */
const QUIET_MS = 1500;
const KEEP_EVERY_MS = 500;
/** No check lasts longer, its wait included; older proof is forgotten. */
const MEMORY_MS = 120_000;

/** How far into the network an exchange reaches: it proves its own reach and those before it. */
export type Reach = 'local' | 'private' | 'public';

/** What proves that the agent itself was connected (architecture, "Whose fault"). Times: the monotonic clock, ms. */
export interface ConnectionEvidence {
  /** A target at `address` answered at `answeredMs` something sent at `sentMs`. */
  noteAnswer(address: string, sentMs: number, answeredMs: number): void;
  /** The collector acknowledged, now, something sent at `sentMs`. */
  noteAck(sentMs: number): void;
  /** How far an address is: `local` is this host itself, `private` needs its network, `public` the network beyond. */
  reachOf(address: string): Reach;
  /** Whether the agent was connected from `fromMs` to `toMs`; asks for proof and waits for it, a few seconds at most. */
  confirm(fromMs: number, toMs: number, reach: Reach, signal: AbortSignal): Promise<boolean>;
  /** Asks for proof whenever there was none for a while, so that a quiet agent knows too. Ends with the signal. */
  keep(signal: AbortSignal): Promise<void>;
}

export interface EvidenceOptions {
  monotonicMs: () => number;
  /**
   * Sends the collector something that it acknowledges at once (an empty batch, say). Where there is no such way, any
   * exchange that began after a check did is proof enough.
   */
  ask?: () => void;
  /** How far an acknowledgement of the collector reaches: as far as can be where there is no better proof. */
  ackReach?: Reach;
  /** The addresses of this host; what answers there proves nothing about the network. */
  ownAddresses?: () => string[];
  waitMs?: number;
}

/**
 * Silence is a target's fault only if the agent was connected while it lasted. One answer within that time does not
 * show it: a network that was cut at its beginning, or comes back at its end, gives one too, and every check under way
 * would turn DOWN. So proof must lie on both sides of the silence, in a chain without a gap of more than five seconds,
 * and some of it must have been sent after the silence began. A shorter outage can go unnoticed; consolidation over
 * regions covers that.
 */
export function createConnectionEvidence(options: EvidenceOptions): ConnectionEvidence {
  const { monotonicMs, ask, ackReach = 'public', waitMs = WAIT_MS } = options;
  const maxGapMs = ask ? MAX_GAP_MS : Infinity;
  const proofs = { private: createProof(maxGapMs), public: createProof(maxGapMs) };
  const isOwn = createOwnCheck(options.ownAddresses ?? interfaceAddresses, monotonicMs);
  const waiting = new Set<() => void>();
  const reachOf = (address: string): Reach => {
    const found = classifyAddress(address);
    if (found === 'loopback' || isOwn(address)) return 'local';
    return found === null ? 'public' : 'private';
  };
  const note = (reach: Reach, sentMs: number, answeredMs: number): void => {
    if (reach === 'local') return;
    proofs.private.note(sentMs, answeredMs);
    if (reach === 'public') proofs.public.note(sentMs, answeredMs);
    for (const look of waiting) look();
  };
  return {
    reachOf,
    noteAnswer: (address, sentMs, answeredMs) => note(reachOf(address), sentMs, answeredMs),
    noteAck: (sentMs) => note(ackReach, sentMs, monotonicMs()),
    confirm(fromMs, toMs, reach, signal) {
      if (reach === 'local') return Promise.resolve(true);
      const proven = (): boolean => proofs[reach].covers(fromMs, ask ? toMs : fromMs);
      if (!proven()) ask?.();
      return waitFor(proven, waiting, waitMs, signal);
    },
    async keep(signal) {
      while (!signal.aborted) {
        if (monotonicMs() - proofs.public.latestMs() > QUIET_MS) ask?.();
        await pause(KEEP_EVERY_MS, signal);
      }
    },
  };
}

/** Resolves true as soon as `proven` holds, false after `ms` milliseconds or at an abort. */
function waitFor(proven: () => boolean, looks: Set<() => void>, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      looks.delete(look);
      signal.removeEventListener('abort', end);
      resolve(proven());
    };
    const look = (): void => {
      if (proven()) end();
    };
    const timer = setTimeout(end, ms);
    looks.add(look);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    else look();
  });
}

interface Proof {
  note(sentMs: number, answeredMs: number): void;
  covers(fromMs: number, toMs: number): boolean;
  latestMs(): number;
}

/** Stretches of proven connection: instants no more than `maxGapMs` apart belong to one stretch. */
function createProof(maxGapMs: number): Proof {
  let stretches: { fromMs: number; toMs: number }[] = [];
  let lastSentMs = -Infinity;
  return {
    note(sentMs, answeredMs) {
      lastSentMs = Math.max(lastSentMs, sentMs);
      const near = stretches.filter((one) => isNear(one, answeredMs));
      const merged = {
        fromMs: Math.min(answeredMs, ...near.map(({ fromMs }) => fromMs)),
        toMs: Math.max(answeredMs, ...near.map(({ toMs }) => toMs)),
      };
      const kept = stretches.filter((one) => !near.includes(one) && one.toMs > answeredMs - MEMORY_MS);
      stretches = [...kept, merged];
    },
    covers(fromMs, toMs) {
      if (lastSentMs < fromMs) return false;
      if (maxGapMs === Infinity) return true;
      return stretches.some((one) => one.fromMs <= fromMs && one.toMs >= toMs);
    },
    latestMs: () => Math.max(-Infinity, ...stretches.map(({ toMs }) => toMs)),
  };
  function isNear({ fromMs, toMs }: { fromMs: number; toMs: number }, atMs: number): boolean {
    return atMs >= fromMs - maxGapMs && atMs <= toMs + maxGapMs;
  }
}

/** How long the list of the host's own addresses is used before it is read again. */
const OWN_FRESH_MS = 5000;

function createOwnCheck(list: () => string[], monotonicMs: () => number): (address: string) => boolean {
  let known = new Set<string>();
  let readAtMs = -Infinity;
  return (address) => {
    if (monotonicMs() - readAtMs > OWN_FRESH_MS) {
      known = new Set(list());
      readAtMs = monotonicMs();
    }
    return known.has(address);
  };
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

import type { Parcel } from './spool/parcel.ts';

/** A batch that was sent and is not acknowledged; without a parcel it only asks for the acknowledgement. */
export interface SentBatch {
  parcel: Parcel | null;
  isBacklog: boolean;
  sentMs: number;
}

/** A backlog begins with so many batches under way, and has more as long as they are answered soon. */
const FIRST_BACKLOG = 2;
const MOST_BACKLOG = 32;
const SOON_MS = 2000;
/** A collector that answers pings and acknowledges nothing for this long is left. One that is only slow is not. */
const ACK_WITHIN_MS = 60_000;
/** A batch that is not among those acknowledged for this long was forgotten. */
const ACK_AT_LATEST_MS = 600_000;

/**
 * The unacknowledged batches of one stream. Fresh results wait behind whatever is under way when they come, so the
 * backlog takes no more of the window than is answered within seconds: a slow collector holds up the past, not the
 * present.
 */
export class UplinkWindow {
  readonly #sent = new Map<number, SentBatch>();
  #next = 1;
  #ackedMs = -Infinity;
  #backlogLimit = FIRST_BACKLOG;
  #backlog = 0;

  get size(): number {
    return this.#sent.size;
  }

  /** Whether there is room for the backlog where `max` batches may be under way: it leaves a place to fresh results. */
  hasBacklogRoom(max: number): boolean {
    return this.#sent.size < Math.max(1, max - 1) && this.#backlog < this.#backlogLimit;
  }

  /** Gives a batch that is sent now its name. */
  add(parcel: Parcel | null, isBacklog: boolean, nowMs: number): number {
    const batch = this.#next++;
    this.#sent.set(batch, { parcel, isBacklog, sentMs: nowMs });
    if (isBacklog) this.#backlog += 1;
    return batch;
  }

  /** Takes a batch out that was acknowledged; undefined where there is none of that name. */
  acknowledge(batch: number, nowMs: number): SentBatch | undefined {
    const sent = this.#sent.get(batch);
    if (sent === undefined) return undefined;
    this.#sent.delete(batch);
    this.#ackedMs = nowMs;
    if (sent.isBacklog) {
      this.#backlog -= 1;
      const isSoon = nowMs - sent.sentMs <= SOON_MS;
      this.#backlogLimit = isSoon
        ? Math.min(this.#backlogLimit + 1, MOST_BACKLOG)
        : Math.max(1, this.#backlogLimit >> 1);
    }
    return sent;
  }

  /** True where nobody is to be expected to acknowledge what is under way. */
  isForgotten(nowMs: number): boolean {
    const [oldest] = this.#sent.values();
    if (oldest === undefined) return false;
    const silentMs = nowMs - Math.max(oldest.sentMs, this.#ackedMs);
    return silentMs > ACK_WITHIN_MS || nowMs - oldest.sentMs > ACK_AT_LATEST_MS;
  }

  /** Takes everything out. */
  clear(): Parcel[] {
    const parcels = [...this.#sent.values()].flatMap(({ parcel }) => parcel ?? []);
    this.#sent.clear();
    this.#backlog = 0;
    return parcels;
  }
}

import type { SegmentStore } from './store.ts';

/** Removes the segments whose last record was acknowledged before `beforeMs` (monotonic). */
export async function removeSent(store: SegmentStore, beforeMs: number): Promise<void> {
  for (const book of store.books) {
    if (book.sealed && book.doneSinceMs !== null && book.doneSinceMs <= beforeMs) await store.remove(book);
  }
}

/**
 * Brings a spool under its limit: what was acknowledged goes first, then UNKNOWN rows, then the oldest segments. The open
 * segment stays.
 */
export async function keepWithinLimit(store: SegmentStore, limitBytes: number): Promise<void> {
  if (store.bytes <= limitBytes) return;
  await removeSent(store, Infinity);
  for (const book of store.books) {
    if (store.bytes <= limitBytes) return;
    // One that cannot be written anew now goes whole, when its turn comes.
    if (book.sealed && !book.stripped) await Promise.allSettled([store.strip(book)]);
  }
  for (const book of store.books) {
    if (store.bytes <= limitBytes) return;
    if (book.sealed) await store.remove(book);
  }
}

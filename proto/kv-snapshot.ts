import type { KV, KvEntry } from '@nats-io/kv';

/** A snapshot that brings nothing new for this long has come to its end. */
const SILENCE_MS = 2000;

/**
 * The newest entry of each key of a bucket, deletion marks included. It is whole once the entry has come that was the
 * bucket's last one when it began: the server's own count of what is still to come is wrong where keys change while
 * they are read (nats-server 2.9), and would keep the reader waiting for half a minute.
 */
export async function readSnapshot(kv: KV): Promise<KvEntry[]> {
  const { streamInfo } = await kv.status();
  if (streamInfo.state.messages === 0) return [];
  const entries = new Map<string, KvEntry>();
  const watcher = await kv.watch();
  let silence = setTimeout(() => watcher.stop(), SILENCE_MS);
  try {
    for await (const entry of watcher) {
      entries.set(entry.key, entry);
      if (entry.revision >= streamInfo.state.last_seq) break;
      clearTimeout(silence);
      silence = setTimeout(() => watcher.stop(), SILENCE_MS);
    }
  } finally {
    clearTimeout(silence);
    watcher.stop();
  }
  return [...entries.values()];
}

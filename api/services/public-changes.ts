import { listen } from '../../db/notifications.ts';
import type { Logger } from '../../runtime/logger.ts';

export interface PublicChanges {
  url: string;
  log: Logger;
  /** Called at once after a change of what pages show besides measurements; of many together once a second. */
  onChange: () => void;
}

/** Whoever writes a thousand monitors one by one must not have every page read a thousand times. */
const AT_MOST_EVERY_MS = 1000;

/** Hears of changes, whoever makes them, until the signal aborts (migration 0015). */
export async function hearPublicChanges({ url, log, onChange }: PublicChanges, signal: AbortSignal): Promise<void> {
  const name = 'farwatch-api-pages';
  const onTrouble = (error: Error): void => log.warn({ err: error }, 'changes of pages are not heard');
  const tell = atMostEvery(AT_MOST_EVERY_MS, onChange);
  for await (const notice of listen({ url, name, channels: ['farwatch_public_changes'], signal, onTrouble })) {
    // What was told before a connection may have been missed, so each begins like a change.
    if (notice.kind !== 'leading') tell();
  }
}

function atMostEvery(ms: number, act: () => void): () => void {
  let until = -Infinity;
  let waiting = false;
  const run = (): void => {
    waiting = false;
    until = performance.now() + ms;
    act();
  };
  return () => {
    const wait = until - performance.now();
    if (wait <= 0) run();
    else if (!waiting) {
      waiting = true;
      setTimeout(run, wait).unref();
    }
  };
}

import { listen } from '../db/notifications.ts';
import type { Logger } from '../runtime/logger.ts';

/** Where requests wait for the answers of runs on demand. */
export interface CheckAnswers {
  /** Resolves when the request may have been answered, or after `ms`. */
  changed(id: number, ms: number): Promise<void>;
  /** Hears of answers until the signal aborts. */
  run(url: string, logger: Logger, signal: AbortSignal): Promise<void>;
}

export function createCheckAnswers(): CheckAnswers {
  const waiting = new Map<number, () => void>();
  return {
    changed: (id, ms) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve();
        };
        const timer = setTimeout(done, ms);
        waiting.set(id, done);
      }),
    async run(url, logger, signal) {
      const name = 'farwatch-api-answers';
      const onTrouble = (error: Error): void => logger.warn({ err: error }, 'answers of checks are not heard');
      for await (const notice of listen({ url, name, channels: ['farwatch_check_answers'], signal, onTrouble })) {
        if (notice.kind === 'notified') waiting.get(Number(notice.payload))?.();
        // What was told before this connection may have been missed.
        else for (const look of [...waiting.values()]) look();
      }
    },
  };
}

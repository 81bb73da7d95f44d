/** Where loops wait for work. */
export interface Gate {
  /** Lets everyone who waits go on; where nobody does, whoever comes next. */
  open(): void;
  /** Resolves at the next `open`, or at once where one found nobody; after `ms`, or when the signal aborts. */
  opened(ms: number, signal: AbortSignal): Promise<void>;
}

export function createGate(): Gate {
  const waiters = new Set<() => void>();
  // A loop that is at work when it is called has not missed it.
  let isOpen = false;
  return {
    open() {
      isOpen = waiters.size === 0;
      for (const go of [...waiters]) go();
    },
    opened(ms, signal) {
      if (isOpen || signal.aborted) {
        isOpen = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const go = (): void => {
          clearTimeout(timer);
          waiters.delete(go);
          signal.removeEventListener('abort', go);
          resolve();
        };
        const timer = setTimeout(go, ms);
        waiters.add(go);
        signal.addEventListener('abort', go, { once: true });
      });
    },
  };
}

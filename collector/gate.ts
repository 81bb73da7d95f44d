/** Where loops wait for work. */
export interface Gate {
  /** Lets everyone who waits go on; who comes later waits for the next time. */
  open(): void;
  /** Resolves at the next `open`, after `ms`, or when the signal aborts. */
  opened(ms: number, signal: AbortSignal): Promise<void>;
}

export function createGate(): Gate {
  const waiters = new Set<() => void>();
  return {
    open() {
      for (const go of [...waiters]) go();
    },
    opened(ms, signal) {
      if (signal.aborted) return Promise.resolve();
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

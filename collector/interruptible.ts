/** An iterable that can be ended from outside while someone waits for its next value. */
export interface Interruptible<T> extends AsyncIterable<T> {
  /** Ends it: the reader's loop is over, after the value it works on. */
  end(): void;
  /** Ends it with an error, which the reader's loop throws. */
  fail(error: unknown): void;
  /** True once it was ended from outside. */
  isOver(): boolean;
  /** For the reader, between two values: waits for `work`, or until it is ended from outside. */
  during(work: Promise<void>): Promise<void>;
}

/**
 * Wraps `source`, to be read once. (A race against one promise that lives as long as a stream would keep something of
 * every message.)
 */
export function interruptible<T>(source: AsyncIterable<T>): Interruptible<T> {
  let outcome: { error: unknown } | 'ended' | undefined;
  let interrupt = (): void => undefined;
  const settle = (to: { error: unknown } | 'ended'): void => {
    outcome ??= to;
    interrupt();
  };
  return {
    end: () => settle('ended'),
    fail: (error) => settle({ error }),
    isOver: () => outcome !== undefined,
    during: (work) =>
      new Promise((resolve, reject) => {
        interrupt = resolve;
        if (outcome !== undefined) resolve();
        work.then(resolve, reject);
      }),
    async *[Symbol.asyncIterator]() {
      const values = source[Symbol.asyncIterator]();
      for (;;) {
        if (outcome === 'ended') return;
        if (outcome !== undefined) throw outcome.error;
        const next = await new Promise<IteratorResult<T, unknown> | null>((resolve, reject) => {
          interrupt = () => resolve(null);
          values.next().then(resolve, reject);
        });
        if (next === null) continue;
        if (next.done === true) return;
        yield next.value;
      }
    },
  };
}

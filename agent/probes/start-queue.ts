/**
 * Connections started in one turn of the event loop. Each start costs about 50 microseconds, which the ones before it
 * would measure as their own latency (feasibility §2).
 */
const STARTS_PER_TURN = 10;

/** Spreads starts over turns of the event loop; the sockets are polled between turns. */
export interface StartQueue {
  /** Resolves when it is this caller's turn. */
  turn(): Promise<void>;
}

export function createStartQueue(perTurn: number = STARTS_PER_TURN): StartQueue {
  const waiting: (() => void)[] = [];
  let scheduled = 0;
  // One immediate a start, so that what a start queued for its own next tick runs before the next one begins.
  const schedule = (): void => {
    scheduled = Math.min(perTurn, waiting.length);
    for (let index = 0; index < scheduled; index += 1) setImmediate(start);
  };
  const start = (): void => {
    scheduled -= 1;
    waiting.shift()?.();
    if (scheduled === 0) schedule();
  };
  return {
    turn: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (scheduled === 0) schedule();
      }),
  };
}

import { EchoEngine } from './echo.ts';
import type { FillRandom } from './flights.ts';
import type { EchoRow, FromProcess, ToProcess } from './protocol.ts';
import { isOnLink, openIcmpSocket } from './socket.ts';
import { PING_INTERVAL_MS } from '../../../core/type-data.ts';

/** Results wait so long for each other: a message costs more than what it says. */
const FLUSH_MS = 5;

/**
 * Runs the engine for the process at the other end of this one's channel, until that one goes away. Signals that a
 * terminal sends to the whole group are the parent's to decide.
 */
export function serveIcmp(fillRandom: FillRandom): void {
  let rows: EchoRow[] = [];
  const say = (message: FromProcess): void => {
    // A parent that is going away needs no answer; `disconnect` ends this process.
    process.send?.(message, undefined, undefined, () => undefined);
  };
  const flush = (): void => {
    const echoes = rows;
    rows = [];
    say({ kind: 'echoes', rows: echoes });
  };
  const engine = new EchoEngine({
    open: openIcmpSocket,
    nowUs: () => performance.now() * 1000,
    fillRandom,
    isOnLink,
    intervalMs: PING_INTERVAL_MS,
    done: (key, echo) => {
      if (rows.length === 0) setTimeout(flush, FLUSH_MS);
      rows.push([key, echo.sent, echo.received, echo.roundTripsUs, echo.error, echo.problem]);
    },
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: ToProcess) => {
    switch (message.kind) {
      case 'ping':
        return engine.start(
          message.rows.map(([key, address, family, count, timeoutMs]) => ({ key, address, family, count, timeoutMs })),
        );
      case 'cancel':
        return message.keys.forEach((key) => engine.cancel(key));
      case 'able':
        return say({ kind: 'able', key: message.key, problems: { 4: engine.problemOf(4), 6: engine.problemOf(6) } });
    }
  });
}

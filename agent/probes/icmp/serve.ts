import { EchoEngine, type Result } from './echo.ts';
import type { FillRandom } from './flights.ts';
import { monotonicUs } from './grid.ts';
import type { EchoRequest } from './job.ts';
import type { EchoRow, FromProcess, PingRow, ToProcess } from './protocol.ts';
import { isOnLink, openIcmpSocket } from './socket.ts';

/**
 * Runs the engine for the process at the other end of this one's channel, until that one goes away. Signals that a
 * terminal sends to the whole group are the parent's to decide.
 */
export function serveIcmp(fillRandom: FillRandom): void {
  const say = (message: FromProcess): void => {
    // A parent that is going away needs no answer; `disconnect` ends this process.
    process.send?.(message, undefined, undefined, () => undefined);
  };
  const engine = new EchoEngine({
    open: openIcmpSocket,
    nowUs: monotonicUs,
    fillRandom,
    isOnLink,
    done: (results) => say({ kind: 'echoes', rows: results.map(rowOf) }),
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: ToProcess) => {
    switch (message.kind) {
      case 'ping':
        return engine.start(message.rows.map((row) => requestOf(row, message.intervalMs)));
      case 'cancel':
        return message.keys.forEach((key) => engine.cancel(key));
      case 'able':
        return say({ kind: 'able', key: message.key, problems: { 4: engine.problemOf(4), 6: engine.problemOf(6) } });
    }
  });
}

function rowOf([key, { sent, received, roundTripsUs, error, problem }]: Result): EchoRow {
  return [key, sent, received, roundTripsUs, error, problem];
}

function requestOf([key, address, family, count, timeoutMs]: PingRow, intervalMs: number): EchoRequest {
  return { key, address, family, count, timeoutMs, intervalMs };
}

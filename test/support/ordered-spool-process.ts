import { pino } from 'pino';
import { Spool, type SpoolState } from '../../agent/spool/spool.ts';
import type { Parcel } from '../../agent/spool/parcel.ts';
import type { Minute } from '../../core/minute.ts';
import { MINUTE, tcpResult, unknownResult } from './check-results.ts';

/** A spool in a process of its own, so that its disk can fail and it can be killed; time passes when it is told. */
export type SpoolOrder =
  | { order: 'open'; folder: string; segmentBytes?: number; limitBytes?: number }
  /** Keeps results of monitors `from` and following, and commits them. */
  | { order: 'keep'; from: number; count: number; status?: 'UNKNOWN'; minute?: Minute }
  /** Takes everything that can be taken. */
  | { order: 'take' }
  /** Everything that was taken is answered so. */
  | { order: 'settle'; answer: 'stored' | 'retry' }
  | { order: 'pass'; ms: number }
  | { order: 'house' }
  | { order: 'close' };

export interface SpoolReport {
  /** Monitors of what was taken just now. */
  taken: number[];
  state: SpoolState;
  /** What was logged as an error since the last report. */
  errors: Record<string, unknown>[];
}

let nowMs = 1000;
let spool: Spool;
let parcels: Parcel[] = [];
const errors: Record<string, unknown>[] = [];
// The logger writes objects.
const write = (line: string): void => void errors.push(JSON.parse(line) as Record<string, unknown>);

process.on('message', (order: SpoolOrder) => {
  // What breaks ends the process: the parent sees that.
  void obey(order).then((taken) =>
    process.send?.({ taken, state: spool.state(), errors: errors.splice(0) } satisfies SpoolReport),
  );
});
process.on('disconnect', () => process.exit());

async function obey(order: SpoolOrder): Promise<number[]> {
  switch (order.order) {
    case 'open':
      spool = await open(order);
      return [];
    case 'keep':
      await keep(order);
      return [];
    case 'take':
      return take();
    case 'settle':
      for (const parcel of parcels.splice(0))
        spool.settle(
          parcel,
          parcel.parts.flatMap(({ rows }) => rows.map(() => ({ answer: order.answer, reason: null }))),
        );
      return [];
    case 'pass':
      nowMs += order.ms;
      return [];
    case 'house':
      await spool.keepHouse();
      return [];
    case 'close':
      await spool.close();
      return [];
  }
}

function open({ folder, segmentBytes, limitBytes = 2 ** 30 }: Extract<SpoolOrder, { order: 'open' }>): Promise<Spool> {
  return Spool.open({
    ...{ folder, segmentBytes, limitBytes, bootId: 'boot-1' },
    offsetOf: () => null,
    monotonicMs: () => nowMs,
    logger: pino({ level: 'error' }, { write }),
  });
}

async function keep({ from, count, status, minute = MINUTE }: Extract<SpoolOrder, { order: 'keep' }>): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => from + index);
  const kept = spool.append(
    'epoch-1',
    ids.map((id) => ({
      result: status === 'UNKNOWN' ? unknownResult(id, { minute }) : tcpResult(id, { minute }),
      startedMs: 0,
      usedOffsetMs: null,
    })),
  );
  await spool.flush();
  await kept;
}

async function take(): Promise<number[]> {
  const taken: number[] = [];
  for (;;) {
    const parcel = spool.takeLive(1000) ?? (await spool.takeBacklog(1000));
    if (parcel === null) return taken;
    parcels = [...parcels, parcel];
    if (parcel.kind === 'results') taken.push(...parcel.results.map(({ monitorId }) => monitorId));
  }
}

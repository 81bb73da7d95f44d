import type { MinuteRange } from '../../core/minute.ts';
import { millisecondsOf } from '../../core/outcome.ts';
import type { Queryable } from '../../db/client.ts';
import type { CountedMonitor, Counting } from '../../db/counting.ts';
import { countPeriods } from '../../db/period-counts.ts';
import type { LatencySeries } from '../../web/view.ts';

/** The mean latency of a monitor for each step of a range; steps in which nothing answered are left out. */
export async function readLatencySeries(
  client: Queryable,
  monitor: CountedMonitor,
  { from, to }: MinuteRange,
  step: number,
  counting: Counting,
): Promise<LatencySeries> {
  const steps = Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step);
  // Latencies are told apart from statuses: nothing needs confirmation for them.
  const plain = { ...monitor, confirmation_threshold: 1 };
  const [periods = []] = await countPeriods(client, [plain], [...steps, to], { ...counting, windows: new Map() });
  const points = periods.flatMap(({ latencyUs }, at) =>
    latencyUs ? [{ at: steps[at] ?? from, latencyMs: millisecondsOf(latencyUs.avg) }] : [],
  );
  return { start: from, end: to, step, points };
}

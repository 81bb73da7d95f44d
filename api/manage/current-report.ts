import type { z } from 'zod';
import type { currentReport } from '../../core/dashboard-monitor.ts';
import { millisecondsOf } from '../../core/outcome.ts';
import type { CurrentReport } from '../../db/current-status.ts';

export function shownReport({ status, latencyUs, minute }: CurrentReport): z.output<typeof currentReport> {
  return { status, latency: latencyUs === null ? null : millisecondsOf(latencyUs), timestamp: minute };
}

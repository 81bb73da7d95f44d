import type pg from 'pg';
import { chooseWindows } from '../core/maintenance-event.ts';
import { isSameSchedule } from '../core/maintenance.ts';
import type { Expansion, ExpansionRequest } from '../core/recurrence.ts';
import { inTransaction } from '../db/client.ts';
import { advanceEvents, hasNextEvent, listDueMaintenances, readPlanningTime } from '../db/maintenance-clock.ts';
import { insertEvents } from '../db/maintenance-events.ts';
import { lockMaintenance, readMaintenance, setNextStart, type StoredMaintenance } from '../db/maintenances.ts';
import type { BoundedCalls } from '../runtime/bounded-calls.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Job } from './jobs.ts';

const EVERY_MS = 10_000;
/** A rule that could not be expanded is not tried again for so long. */
const RETRY_SECONDS = 3600;

interface Parts {
  pool: pg.Pool;
  recurrence: BoundedCalls<ExpansionRequest, Expansion | null>;
  logger: Logger;
}

/**
 * What time does to maintenances: events move on to the state that their times imply, and come into being as the horizon
 * moves. A long row of rules to expand holds up no event.
 */
export function maintenanceJobs(parts: Parts): Job[] {
  const retryAt = new Map<number, number>();
  return [
    { name: 'maintenance events', everyMs: EVERY_MS, run: () => advanceEvents(parts.pool) },
    { name: 'maintenance horizon', everyMs: EVERY_MS, run: () => extendAll(parts, retryAt) },
  ];
}

async function extendAll(parts: Parts, retryAt: Map<number, number>): Promise<void> {
  for (const id of await listDueMaintenances(parts.pool)) {
    const { now, horizon } = await readPlanningTime(parts.pool);
    if (now < (retryAt.get(id) ?? -Infinity)) continue;
    const before = await readMaintenance(parts.pool, id);
    if (!before || before.next_start === null) continue;
    const { rrule, start_date_time: start, timezone, duration_seconds } = before;
    // Windows that were over before anybody made their events are left out.
    const from = Math.max(before.next_start, now - duration_seconds + 1);
    const end = await parts.recurrence.call({ rrule, start, timezone, from, to: horizon });
    if (end.kind === 'value' && end.value) {
      await extend(parts.pool, id, before, end.value);
      retryAt.delete(id);
    } else {
      parts.logger.warn({ maintenance: id, rrule, end }, 'recurrence rule could not be expanded');
      retryAt.set(id, now + RETRY_SECONDS);
    }
  }
}

/** Makes the events, unless an edit or another collector was here since the rule was read. */
async function extend(pool: pg.Pool, id: number, before: StoredMaintenance, expansion: Expansion): Promise<void> {
  await inTransaction(pool, async (client) => {
    const current = await lockMaintenance(client, id);
    if (current?.next_start !== before.next_start || !isSameSchedule(current, before)) return;
    const { now } = await readPlanningTime(client);
    const windows = chooseWindows(expansion, now, await hasNextEvent(client, id));
    await insertEvents(client, id, windows.starts, current.duration_seconds);
    await setNextStart(client, id, windows.next);
  });
}

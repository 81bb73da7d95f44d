import { AppError } from '../../core/app-error.ts';
import { tagsBeforeFault, type MonitorReference } from '../../core/monitor-reference.ts';
import { findUnknownTag, replaceReferences, type ReferenceTable } from '../../db/monitor-references.ts';
import type { Queryable } from '../../db/client.ts';

/** Replaces the whole list of references of an incident or maintenance, inside the transaction that locked it. */
export async function writeReferences(
  client: Queryable,
  table: ReferenceTable,
  ownerId: number,
  references: readonly MonitorReference[],
): Promise<void> {
  const unknown = await replaceReferences(client, table, ownerId, references);
  if (unknown !== undefined) throw unknownMonitor(unknown);
}

/** What a body's `monitors` names comes before the faults that stand behind it. For `bodyCheck`. */
export async function checkReferences(body: Record<string, unknown>, { db }: { db: Queryable }): Promise<void> {
  const unknown = await findUnknownTag(db, tagsBeforeFault(body.monitors));
  if (unknown !== undefined) throw unknownMonitor(unknown);
}

function unknownMonitor(tag: string): AppError {
  const message = `Monitor with tag '${tag}' not found`;
  return new AppError('BAD_REQUEST', message, { details: [{ path: 'monitors', message }] });
}

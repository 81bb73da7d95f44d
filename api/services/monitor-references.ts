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

/** The list without a monitor that it has to name; `owner`: what it is the list of, for the message. */
export function withoutReference(
  references: readonly MonitorReference[],
  tag: string,
  owner: string,
): MonitorReference[] {
  requireReference(references, tag, owner);
  return references.filter(({ monitor_tag }) => monitor_tag !== tag);
}

/** Throws NOT_FOUND where the list does not name the monitor. */
export function requireReference(references: readonly { monitor_tag: string }[], tag: string, owner: string): void {
  if (references.some(({ monitor_tag }) => monitor_tag === tag)) return;
  throw new AppError('NOT_FOUND', `Monitor with tag '${tag}' is not named by this ${owner}`);
}

function unknownMonitor(tag: string): AppError {
  const message = `Monitor with tag '${tag}' not found`;
  return new AppError('BAD_REQUEST', message, { details: [{ path: 'monitors', message }] });
}

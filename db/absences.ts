import type { Minute, MinuteRange } from '../core/minute.ts';
import type { Queryable } from './client.ts';

/** One interval in which an agent was stopped, asleep or unborn, as it said itself on its return. Half-open. */
export interface Absence {
  agentId: number;
  range: MinuteRange;
  reason: string;
}

/** Removes absences that ended before this minute. Returns how many. */
export async function forgetAbsences(db: Queryable, before: Minute): Promise<number> {
  const { rowCount } = await db.query('delete from absences where to_minute <= to_timestamp($1)', [before]);
  return rowCount ?? 0;
}

/** Records absences; saying one again changes nothing, saying it longer extends it. */
export async function recordAbsences(db: Queryable, absences: readonly Absence[]): Promise<void> {
  // The longest of those that begin together: one statement may not write a row twice.
  const byStart = new Map<string, Absence>();
  for (const absence of absences) {
    const key = `${absence.agentId} ${absence.range.from}`;
    if ((byStart.get(key)?.range.to ?? -Infinity) < absence.range.to) byStart.set(key, absence);
  }
  const distinct = [...byStart.values()].sort((a, b) => a.agentId - b.agentId || a.range.from - b.range.from);
  await db.query(
    `insert into absences (agent_id, from_minute, to_minute, reason)
     select agent_id, to_timestamp(from_at), to_timestamp(to_at), reason
     from unnest($1::int[], $2::int8[], $3::int8[], $4::text[]) as given (agent_id, from_at, to_at, reason)
     on conflict (agent_id, from_minute) do update
       set to_minute = excluded.to_minute where absences.to_minute < excluded.to_minute`,
    [
      distinct.map(({ agentId }) => agentId),
      distinct.map(({ range }) => range.from),
      distinct.map(({ range }) => range.to),
      distinct.map(({ reason }) => reason),
    ],
  );
}

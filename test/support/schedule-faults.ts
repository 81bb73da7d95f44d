import { parseCron } from '../../core/cron.ts';
import { versionAt, type Definition } from '../../core/definition.ts';
import type { Minute } from '../../core/minute.ts';
import type { SpoolRecord } from '../../agent/spool/record.ts';

/** What is wrong with the books of the minutes [from, to]: each due slot must have rows or an absence, and not both. */
export function faultsOf(
  records: readonly SpoolRecord[],
  definitions: readonly Definition[],
  from: Minute,
  to: Minute,
): string[] {
  const absences = records.flatMap((record) => (record.kind === 'absences' ? record.absences : []));
  const rows = rowsBySlot(records);
  const faults: string[] = [];
  for (let minute = from; minute <= to; minute += 60) {
    const at = `+${(minute - from) / 60}`;
    const covering = absences.filter((one) => one.from <= minute && minute < one.to).length;
    if (covering > 1) faults.push(`minute ${at}: absent ${covering} times`);
    for (const definition of definitions.filter((one) => isDue(one, minute))) {
      const found = rows.get(`${definition.monitorId}@${minute}`);
      const isAbsent = covering > 0;
      if ((found !== undefined) === isAbsent)
        faults.push(
          `monitor ${definition.monitorId} at ${at}: ${isAbsent ? 'absent and recorded' : 'neither'} ${found}`,
        );
    }
  }
  return faults;
}

function rowsBySlot(records: readonly SpoolRecord[]): Map<string, string> {
  const rows = new Map<string, string>();
  for (const record of records) {
    for (const row of record.kind === 'results' ? record.results : [])
      rows.set(`${row.monitorId}@${row.minute}`, row.error ?? row.status);
  }
  return rows;
}

function isDue(definition: Definition, minute: Minute): boolean {
  const held = versionAt(definition, minute);
  return held !== undefined && held.probe !== null && parseCron(held.cron)?.(minute) === true;
}

import { judgeAbsences } from './judge-absences.ts';
import { judgePoints } from './judge-points.ts';
import { judgeResults } from './judge-results.ts';
import { runsIn, versionsAt, type Ledger, type Stored, type Wrong } from './ledger.ts';

export interface Judged {
  ledger: Ledger;
  stored: Stored;
  wrongs: Wrong[];
}

/** All that is wrong, by the ledger; `healedMs`: since when every program is to do its work again. */
export function judge(ledger: Ledger, stored: Stored, healedMs: number): Judged {
  const wrongs = [
    ...judgeResults(ledger, stored),
    ...judgePoints(ledger, stored),
    ...judgeAbsences(ledger, stored),
    ...judgeWork(ledger, healedMs),
  ];
  return { ledger, stored, wrongs };
}

/** Agents that have measured nothing since everything was healed. */
function judgeWork({ agents }: Ledger, healedMs: number): Wrong[] {
  const since = Math.floor(healedMs / 60_000) * 60;
  return agents.flatMap(({ name, accepted }): Wrong[] => {
    const works = accepted.some(({ minute, status }) => minute >= since && status !== 'UNKNOWN');
    return works ? [] : [{ kind: 'stuck', text: `${name} has measured nothing since all was healed` }];
  });
}

/** What became of the slots that were due for sure. */
export function countSlots(ledger: Ledger, stored: Stored): Record<string, number> {
  const found = new Map(stored.results.map((row) => [`${row.monitorId} ${row.region} ${row.minute}`, row]));
  const counts: Record<string, number> = {};
  for (const monitor of ledger.monitors.filter(({ deleted }) => !deleted)) {
    for (let minute = ledger.from; minute < ledger.to; minute += 60) {
      const { possible, isSure } = versionsAt(monitor, minute);
      for (const region of ledger.regions) {
        if (!isSure || !possible.every((version) => runsIn(version, region))) continue;
        const row = found.get(`${monitor.id} ${region} ${minute}`);
        const word = row === undefined ? 'absent' : row.status === 'UNKNOWN' ? reasonOf(row.error) : row.status;
        counts[word] = (counts[word] ?? 0) + 1;
      }
    }
  }
  return counts;
}

function reasonOf(error: string | null): string {
  return `UNKNOWN ${error?.split(':', 1)[0]}`;
}

import { overlaps, type Ledger, type LedgerAgent, type Stored, type Wrong } from './ledger.ts';

/** What a disk did not take shows this much later at most: in the account of the agent's next life. */
const DISK_MS = 60_000;

/** What is wrong with the absences: each that an agent kept is stored, and each stored minute the agent was not there. */
export function judgeAbsences(ledger: Ledger, stored: Stored): Wrong[] {
  return ledger.agents.flatMap((agent) => {
    const minutes: number[] = [];
    for (let minute = ledger.from; minute < ledger.to; minute += 60) minutes.push(minute);
    return minutes.flatMap((minute) => judgeMinute(agent, minute, stored));
  });
}

function judgeMinute(agent: LedgerAgent, minute: number, { absences }: Stored): Wrong[] {
  const covers = ({ from, to }: { from: number; to: number }): boolean => from <= minute && minute < to;
  const isStored = absences.some((one) => one.agentId === agent.id && covers(one));
  const isKept = agent.absences.some(covers);
  const where = `${agent.name} at ${new Date(minute * 1000).toISOString().slice(11, 16)}`;
  if (isKept && !isStored) return [{ kind: 'lost', text: `${where}: it kept an absence, which is not stored` }];
  if (!isStored) return [];
  const [fromMs, toMs] = [minute * 1000, (minute + 60) * 1000];
  const wasAway = agent.away.some((span) => overlaps(span, fromMs, toMs));
  const hadNoDisk = agent.diskless.some((span) => overlaps(span, fromMs, toMs + DISK_MS));
  return wasAway || hadNoDisk ? [] : [{ kind: 'invented', text: `${where}: absent, though it was there` }];
}

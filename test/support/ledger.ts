import type pg from 'pg';

/** What one region said of one monitor and minute, as stored. */
interface StoredResult {
  status: string;
  reason: string | null;
}

/** A monitor of the run, with what its target saw, where the target can see. */
export interface LedgerMonitor {
  tag: string;
  /** The first minute in which it is due. */
  from: number;
  /** How many checks its target saw in a minute; null where a target sees none (PING). */
  seenIn: ((minute: number) => number) | null;
}

/** A time in which the test kept a region's agent dead, unix seconds. */
export interface Outage {
  region: string;
  from: number;
  to: number;
}

export interface Ledger {
  monitors: LedgerMonitor[];
  regions: string[];
  outages: Outage[];
}

/** Every minute that is lost, doubled or invented, one line each, judged by the ledger up to minute `end` (not in). */
export async function findFaults(pool: pg.Pool, ledger: Ledger, end: number): Promise<string[]> {
  const results = await readResults(pool, end);
  const absent = await readAbsences(pool);
  const points = await readPoints(pool, end);
  const faults = ledger.monitors.flatMap((monitor) =>
    minutesOf(monitor.from, end).flatMap((minute) => {
      const stored = ledger.regions.map((region) => {
        const dead = ledger.outages.some((o) => o.region === region && o.from < minute + 60 && o.to > minute);
        return { region, result: results.take(monitor.tag, region, minute), dead, absent: absent(region, minute) };
      });
      const found = stored.flatMap(({ region, ...one }) => prefixed(region, judge(one)));
      const up = stored.filter(({ result }) => result?.status === 'UP').length;
      found.push(...judgeWhole(up, monitor.seenIn?.(minute) ?? up, points.take(monitor.tag, '', minute)));
      return found.map((fault) => `${monitor.tag} ${clock(minute)} ${fault}`);
    }),
  );
  const unasked = [...results.rest(), ...points.rest()];
  return [...faults, ...unasked.map((key) => `${key}: nobody was to measure this`)];
}

function minutesOf(from: number, end: number): number[] {
  return Array.from({ length: Math.max(0, (end - from) / 60) }, (_, index) => from + index * 60);
}

function prefixed(region: string, fault: string | null): string[] {
  return fault === null ? [] : [`${region}: ${fault}`];
}

/** What all regions together amount to: no more answers than the target gave, and a point where anybody knows. */
function judgeWhole(up: number, seen: number, point: StoredResult | undefined): string[] {
  const wanted = up > 0 ? 'UP' : undefined;
  return [
    ...(seen < up ? [`${up} regions say UP, the target saw ${seen} checks`] : []),
    ...(point?.status === wanted ? [] : [`point ${point?.status}, not ${wanted}`]),
  ];
}

/** Targets are up all the time: a known answer is UP, and not knowing is for a dead agent's minutes only. */
function judge(one: { result: StoredResult | undefined; dead: boolean; absent: boolean }): string | null {
  const { result, dead, absent } = one;
  if (result === undefined) return absent && dead ? null : `lost${dead ? ', and no absence tells of it' : ''}`;
  if (result.status === 'UP') return null;
  if (result.status !== 'UNKNOWN') return `${result.status} (${result.reason})`;
  if (!result.reason) return 'UNKNOWN without a reason';
  return dead ? null : `UNKNOWN (${result.reason}) while its agent lived`;
}

interface Book {
  /** Gives out an entry and strikes it. */
  take(tag: string, region: string, minute: number): StoredResult | undefined;
  /** The entries that nobody took. */
  rest(): string[];
}

async function readResults(pool: pg.Pool, end: number): Promise<Book> {
  const { rows } = await pool.query<Row>(
    `select m.tag, g.name as region, extract(epoch from r.minute)::float8 as minute,
       (array['UNKNOWN', 'UP', 'DEGRADED', 'DOWN'])[r.status] as status, r.error as reason
     from check_results r join monitors m on m.id = r.monitor_id join regions g on g.id = r.region_id
     where r.minute < to_timestamp($1)`,
    [end],
  );
  return openBook(rows);
}

async function readPoints(pool: pg.Pool, end: number): Promise<Book> {
  const { rows } = await pool.query<Row>(
    `select m.tag, '' as region, extract(epoch from p.minute)::float8 as minute,
       (array['UNKNOWN', 'UP', 'DEGRADED', 'DOWN'])[p.status] as status, null as reason
     from data_points p join monitors m on m.id = p.monitor_id where p.minute < to_timestamp($1)`,
    [end],
  );
  return openBook(rows);
}

interface Row extends StoredResult {
  tag: string;
  region: string;
  minute: number;
}

/** A second entry for the same key stays in the book and is found there at the end. */
function openBook(rows: Row[]): Book {
  const entries = new Map<string, StoredResult[]>();
  const key = (tag: string, region: string, minute: number): string => `${tag} ${region} ${clock(minute)}`;
  for (const row of rows) {
    const name = key(row.tag, row.region, row.minute);
    entries.set(name, [...(entries.get(name) ?? []), row]);
  }
  return {
    take(tag, region, minute) {
      const name = key(tag, region, minute);
      const [first, ...others] = entries.get(name) ?? [];
      if (others.length > 0) entries.set(name, others);
      else entries.delete(name);
      return first;
    },
    rest: () => [...entries.keys()],
  };
}

async function readAbsences(pool: pg.Pool): Promise<(region: string, minute: number) => boolean> {
  const { rows } = await pool.query<{ region: string; from: number; to: number }>(
    `select g.name as region, extract(epoch from a.from_minute)::float8 as "from",
       extract(epoch from a.to_minute)::float8 as "to"
     from absences a join agents on agents.id = a.agent_id join regions g on g.id = agents.region_id`,
  );
  return (region, minute) => rows.some((row) => row.region === region && row.from <= minute && minute < row.to);
}

function clock(minute: number): string {
  return new Date(minute * 1000).toISOString().slice(11, 16);
}

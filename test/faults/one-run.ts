import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { eventually } from '../support/eventually.ts';
import { untilRoomInMinute } from '../support/minutes.ts';
import type { RunningPart } from '../support/running-part.ts';
import { keepBooks } from './book-keeping.ts';
import { openDiary, type Diary } from './diary.ts';
import { groupBy } from './group-by.ts';
import type { Hosts } from './hosts.ts';
import { inflictAll } from './inflict.ts';
import type { Ledger, Stored, Wrong } from './ledger.ts';
import { openMonitors, type Monitors } from './monitors.ts';
import { AGENTS, type AgentName } from './names.ts';
import { drawPlan } from './plan.ts';
import { plant, unseenPlants, type Plant } from './plant.ts';
import { endOf, judgeCrashes, judgeHealth, watchProcesses, type ProcessFigures } from './processes.ts';
import { auditSpool, type SpoolAudit } from './spool-audit.ts';
import { openStand, type Closers, type Stand } from './stand.ts';
import { readStored } from './stored.ts';
import { openTargets } from './targets.ts';
import { countSlots, judge, type Judged } from './verdict.ts';

export interface RunOptions {
  seed: number;
  /** For everything the run writes. */
  dir: string;
  /** A migrated database of its own; null: it starts a server for one. */
  databaseUrl: string | null;
  minutes: number;
  faults: number;
  /** Done to the database before the verdict. */
  plant: Plant | null;
  /** Whether raw sockets can be opened here. */
  pings: boolean;
  hosts: Hosts;
}

export interface Report {
  seed: number;
  wrongs: Wrong[];
  /** Faults by kind. */
  faults: Record<string, number>;
  notRun: string[];
  minutes: number;
  /** Due slots of regions and minutes, and how they ended. */
  slots: Record<string, number>;
  programs: ProcessFigures[];
  seconds: number;
}

const OF_EACH_KIND = 18;
/** Points are ripe 75 s after the start of their minute, what is taken over late is there soon after. */
const SETTLED_AFTER_MS = 40_000;
const HEALED_AFTER_MS = 20_000;
/** What is wrong by then stays wrong. */
const SETTLE_MS = 150_000;
const LOOK_EVERY_MS = 3000;
/** From the making of the monitors until the first minute that is judged. */
const NOTICE_MS = 10_000;

/**
 * One run: starts everything, inflicts the seed's faults for some minutes, heals, and judges. What it opened is left to
 * `closers`.
 */
export async function runOnce(options: RunOptions, closers: Closers): Promise<Report> {
  const beganMs = Date.now();
  const diary = openDiary(beganMs);
  try {
    return { ...(await run(options, diary, closers)), seconds: Math.round((Date.now() - beganMs) / 1000) };
  } finally {
    writeFileSync(join(options.dir, 'timeline.txt'), diary.lines().join('\n') + '\n');
  }
}

async function run(options: RunOptions, diary: Diary, closers: Closers): Promise<Omit<Report, 'seconds'>> {
  const { seed, dir, minutes } = options;
  const plan = drawPlan(seed, { minutes, faults: options.faults, monitors: 3 * OF_EACH_KIND });
  writeFileSync(join(dir, 'plan.json'), JSON.stringify(plan, null, 2));
  const stand = await openStand(dir, options.databaseUrl, options.hosts, closers);
  const audits = await auditAll(stand, dir, closers);
  const bornMs = Date.now();
  const processes = watchProcesses(partsOf(stand));
  closers.push(() => processes.close());
  const targets = await openTargets(options.pings, options.hosts);
  closers.push(() => targets.close());
  const monitors = openMonitors(stand.rest, targets);
  const from = await createAll(monitors, options.pings);
  const to = from + minutes * 60;
  diary.note(`${monitors.book.length} monitors are there, minutes are judged from here on`);
  await wait(from * 1000 - Date.now());
  await inflictAll(plan, from * 1000, { stand, monitors, diary });
  const healedMs = Date.now();
  diary.note('everything is healed');
  await wait(Math.max(to * 1000 + SETTLED_AFTER_MS, healedMs + HEALED_AFTER_MS) - Date.now());
  const look = async (): Promise<Judged> => {
    const agents = audits.map(({ id, name, audit }) => ({ id, name, bornMs, spool: audit.read() }));
    return judge(keepBooks({ from, to, monitors, diary, agents }), await readStored(stand.pool), healedMs);
  };
  const programs = [...stand.agents.values(), ...stand.collectors.values(), stand.api];
  const lookAll = async (): Promise<Judged> => {
    const judged = await look();
    return { ...judged, wrongs: [...judged.wrongs, ...(await judgeHealth(programs))] };
  };
  const settled = await settle(lookAll, healedMs, diary);
  const stuck = await endAll(stand);
  diary.note('all programs have ended');
  const judged = options.plant === null ? settled : await spoil(options.plant, settled.ledger, stand, look);
  const { wrongs, ledger, stored } = judged;
  const planted = (found: Stored): Wrong[] => judge(ledger, found, healedMs).wrongs;
  const blind = options.plant === null ? await unseenPlants(stand.pool, ledger, planted) : [];
  const failing = diary.happenings.flatMap(({ fault }) => (fault.kind === 'disk' ? [fault.victim] : []));
  const inflicted = diary.happenings.filter(({ note }) => !note?.startsWith('not run'));
  writeFileSync(join(dir, 'stored.json'), JSON.stringify(stored));
  writeFileSync(join(dir, 'ledger.json'), JSON.stringify({ ...ledger, targets: [...ledger.targets.values()] }));
  return {
    ...{ seed, minutes },
    wrongs: [...wrongs, ...blind, ...stuck, ...judgeCrashes(partsOf(stand), failing), ...processes.judge()],
    faults: Object.fromEntries(
      [...groupBy(inflicted, ({ fault }) => fault.kind)].map(([kind, list]) => [kind, list.length]),
    ),
    notRun: diary.happenings.flatMap(({ note }) => (note?.startsWith('not run') ? [note] : [])),
    slots: countSlots(ledger, stored),
    programs: processes.figures(),
  };
}

/** The plant stays, and the run is judged with it. */
async function spoil(what: Plant, ledger: Ledger, { pool }: Stand, look: () => Promise<Judged>): Promise<Judged> {
  const client = await pool.connect();
  await plant(client, what, ledger).finally(() => client.release());
  return look();
}

function partsOf({ agents, collectors, api, nats, database: { server } }: Stand): RunningPart[] {
  const parts = [...[...agents.values(), ...collectors.values()].map(({ part }) => part), api.part, nats.part];
  return server === null ? parts : [...parts, server];
}

async function auditAll(
  { agents, pool }: Stand,
  dir: string,
  closers: Closers,
): Promise<{ id: number; name: AgentName; audit: SpoolAudit }[]> {
  const ids = await eventually('all agents have been heard', 60_000, () => heardAgents(pool));
  return [...agents].map(([name, { spoolDir }]) => {
    const audit = auditSpool(spoolDir, join(dir, 'audit', name));
    closers.push(() => audit.close());
    return { id: ids.get(name) ?? 0, name, audit };
  });
}

async function heardAgents(pool: pg.Pool): Promise<Map<string, number> | null> {
  const { rows } = await pool.query<{ name: string; id: number }>(
    "select name, id from agents where last_seen > now() - interval '1 minute'",
  );
  return rows.length === AGENTS.length ? new Map(rows.map(({ name, id }) => [name, id])) : null;
}

/** Makes the monitors, some of them with rules of their own; returns the first minute that is judged. */
async function createAll(monitors: Monitors, pings: boolean): Promise<number> {
  await untilRoomInMinute(5);
  for (let n = 0; n < OF_EACH_KIND; n += 1) {
    await monitors.create('TCP', n % 6 === 0 ? { regions: ['eu', 'ap'] } : {});
    await monitors.create('DNS', n % 6 === 1 ? { quorum: 'any' } : {});
    await monitors.create(pings ? 'PING' : 'TCP', n % 6 === 2 ? { regions: ['us'] } : {});
  }
  const earliest = Math.ceil((Date.now() + NOTICE_MS) / 60_000) * 60;
  return Math.max(earliest, ...monitors.book.flatMap(({ versions }) => versions.map(({ latest }) => latest)));
}

/** Looks until nothing is wrong any more, at most as long as it may take. */
async function settle(look: () => Promise<Judged>, healedMs: number, diary: Diary): Promise<Judged> {
  for (;;) {
    const judged = await look();
    const isOver = Date.now() > healedMs + SETTLE_MS;
    if (judged.wrongs.length > 0 && !isOver) {
      await wait(LOOK_EVERY_MS);
      continue;
    }
    diary.note(judged.wrongs.length === 0 ? 'nothing is wrong' : `${judged.wrongs.length} things stay wrong`);
    return judged;
  }
}

/** Ends everything as its owner would; what does not end, or does not end well, is stuck. */
async function endAll(stand: Stand): Promise<Wrong[]> {
  const agents = [...stand.agents.values()].map(({ part }) => part);
  const programs = [...[...stand.collectors.values()].map(({ part }) => part), stand.api.part];
  const wrongs: Wrong[] = [];
  for (const layer of [agents, programs]) {
    const ends = await Promise.all(layer.map(async (part) => ({ name: part.name, how: await endOf(part) })));
    for (const { name, how } of ends)
      if (how !== 0) wrongs.push({ kind: 'stuck', text: `${name} was asked to end: ${how}` });
  }
  return wrongs;
}

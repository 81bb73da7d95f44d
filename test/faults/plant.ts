import type pg from 'pg';
import type { Ledger, Stored, Wrong } from './ledger.ts';
import { readHere } from './stored.ts';

export const PLANTS = ['loss', 'double', 'invention', 'undue-result', 'undue-point', 'false-down'] as const;
export type Plant = (typeof PLANTS)[number];

/** What the ledger must call each plant. */
const NAMED: Record<Plant, Wrong['kind']> = {
  loss: 'lost',
  double: 'doubled',
  invention: 'invented',
  'undue-result': 'invented',
  'undue-point': 'invented',
  'false-down': 'false DOWN',
};

/** Does to the database of a run what must not happen, to a monitor whose target was always up. */
export async function plant(
  client: pg.PoolClient,
  what: Plant,
  { from, to, monitors, targets }: Ledger,
): Promise<void> {
  const monitor = monitors.find(
    ({ versions, deleted }) =>
      !deleted && versions.every(({ active, target }) => active && targets.get(target)?.outages.length === 0),
  );
  if (what === 'double') await dropKey(client);
  const born = monitor?.versions[0]?.earliest ?? from;
  const isUndue = what === 'undue-result' || what === 'undue-point';
  const { rowCount } = await client.query(STATEMENTS[what], [monitor?.id, isUndue ? born - 60 : from, to]);
  if (rowCount !== 1) throw new Error(`there was nothing to plant a ${what} in`);
}

/** The plants that the judge does not see. Each is planted in a transaction that is undone. */
export async function unseenPlants(pool: pg.Pool, ledger: Ledger, look: (stored: Stored) => Wrong[]): Promise<Wrong[]> {
  const wrongs: Wrong[] = [];
  const client = await pool.connect();
  try {
    const before = look(await readHere(client));
    for (const what of PLANTS) {
      await client.query('begin');
      await plant(client, what, ledger);
      const after = look(await readHere(client));
      await client.query('rollback');
      const count = (list: readonly Wrong[]): number => list.filter(({ kind }) => kind === NAMED[what]).length;
      if (count(after) <= count(before))
        wrongs.push({ kind: 'blind', text: `the ledger does not see a planted ${what}` });
    }
  } finally {
    client.release(true);
  }
  return wrongs;
}

const HERE = `monitor_id = $1 and status = 2 and minute >= to_timestamp($2) and minute < to_timestamp($3)`;
const ONE_RESULT = `(select monitor_id, minute, region_id from check_results where ${HERE} order by minute, region_id limit 1)`;

/** `$1` is a monitor, and `$2` and `$3` are minutes of it; where something undue is planted, `$2` is one before its first. */
const STATEMENTS: Record<Plant, string> = {
  loss: `delete from check_results where (monitor_id, minute, region_id) in ${ONE_RESULT}`,
  double: `insert into check_results select * from check_results where (monitor_id, minute, region_id) in ${ONE_RESULT}`,
  invention: `update check_results set latency_us = latency_us + 1000 where (monitor_id, minute, region_id) in ${ONE_RESULT}`,
  'undue-result': `insert into check_results (minute, monitor_id, agent_id, region_id, revision, latency_us, status, origin, cause)
    select to_timestamp($2), monitor_id, agent_id, region_id, revision, latency_us, status, origin, cause from check_results
    where (monitor_id, minute, region_id) in ${ONE_RESULT}`,
  'undue-point': `insert into data_points (minute, monitor_id, latency_us, status, origin, known)
    select to_timestamp($2), monitor_id, latency_us, status, origin, known from data_points where ${HERE} order by minute limit 1`,
  'false-down': `update data_points set status = 4 where (monitor_id, minute) in
    (select monitor_id, minute from data_points where ${HERE} order by minute limit 1)`,
};

/** The key of results, which does not let a double in. */
async function dropKey(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = 'check_results'::regclass and contype = 'p'`,
  );
  await client.query(`alter table check_results drop constraint ${rows[0]?.name}`);
}

import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { openPool } from '../../db/client.ts';
import { pickOne } from './seeded-random.ts';

interface Actor {
  pool: pg.Pool;
  pids: Set<number>;
  /** Where it waits for its turn, once for each connection: lets the next statement go. */
  turns: (() => void)[];
  done: boolean;
  result: Promise<void>;
}

/** Runs programs against one database, one statement at a time, in an order that `random` chooses. */
export interface SteppedDatabase {
  /** Adds a program. Every statement it sends through its pool waits for its turn. */
  add(name: string, program: (pool: pg.Pool) => Promise<void>): void;
  /** Lets them all run to their ends; rejects with the first one's failure. */
  run(): Promise<void>;
}

/**
 * Interleaves programs statement by statement on a real database. A statement that waits for a lock counts as begun:
 * the others go on, so that every schedule ends. `observer` looks at who waits.
 */
export function stepThrough(url: string, observer: pg.Pool, random: () => number): SteppedDatabase {
  const actors: Actor[] = [];
  return {
    add(name, program) {
      const pool = openPool({ url, name, max: 2, statementTimeoutMs: 0 });
      const actor: Actor = { pool, pids: new Set(), turns: [], done: false, result: Promise.resolve() };
      pool.on('connect', (client) => gate(actor, client));
      actor.result = program(pool).finally(() => {
        actor.done = true;
      });
      // Awaited in run(), which may come later than a failure.
      actor.result.catch(() => undefined);
      actors.push(actor);
    },
    async run() {
      try {
        while (!actors.every((actor) => actor.done)) {
          await untilAllStand(actors, observer);
          const ready = actors.filter((actor) => actor.turns.length > 0);
          if (ready.length === 0) continue;
          const chosen = pickOne(random, ready);
          chosen.turns.shift()?.();
        }
        await Promise.all(actors.map((actor) => actor.result));
      } finally {
        for (const actor of actors) await actor.pool.end();
      }
    },
  };
}

/** Each query of a connection first waits for its actor's turn. A COPY goes with the statement before it. */
function gate(actor: Actor, client: pg.PoolClient): void {
  // The overloads of query cannot be told apart here; all are passed on as they came.
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const pid = (client as pg.PoolClient & { processID: number }).processID;
  actor.pids.add(pid);
  const stepped = (...args: unknown[]): unknown => {
    if (typeof args[0] === 'object' && args[0] !== null && 'submit' in args[0]) return query(...args);
    const turn = new Promise<void>((resolve) => actor.turns.push(resolve));
    const sent = turn.then(() => query(...args));
    return typeof args.at(-1) === 'function' ? undefined : sent;
  };
  client.query = stepped as typeof client.query;
}

/** Longer than any statement of a test takes, deadlock detection included. */
const STUCK_MS = 30_000;

const WAITING = `
  select pid from pg_stat_activity where pid = any ($1) and state = 'active' and wait_event_type = 'Lock'`;

/** Until every actor has ended, waits for its turn or waits in the database for a lock. */
async function untilAllStand(actors: readonly Actor[], observer: pg.Pool): Promise<void> {
  const deadline = Date.now() + STUCK_MS;
  for (;;) {
    if (Date.now() > deadline) throw new Error('a program neither ends, nor asks for its turn, nor waits for a lock');
    await wait(0);
    const moving = actors.filter((actor) => !actor.done && actor.turns.length === 0);
    if (moving.length === 0) return;
    const { rows } = await observer.query<{ pid: number }>(WAITING, [moving.flatMap((actor) => [...actor.pids])]);
    const waiting = new Set(rows.map(({ pid }) => pid));
    const stuck = moving.filter((actor) => [...actor.pids].some((pid) => waiting.has(pid)));
    const stillMoving = moving.filter((actor) => !actor.done && actor.turns.length === 0 && !stuck.includes(actor));
    if (stillMoving.length === 0 && actors.some((actor) => actor.turns.length > 0)) return;
  }
}

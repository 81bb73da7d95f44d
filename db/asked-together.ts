import pg from 'pg';
import type { Queryable } from './client.ts';

/** Reads the rows of some keys. A key without a row is missing in what it returns. */
export type ReadRows<Row> = (db: Queryable, keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>;

interface Question<Row> {
  keys: Set<string>;
  answer: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Finds rows by their key. What is asked of one pool in one turn of the event loop becomes one statement: under load a
 * request's way to the database and back costs more than what is done there. Nothing is kept, so every answer is from after
 * its question. A transaction asks for itself.
 */
export function askedTogether<Row>(read: ReadRows<Row>): (db: Queryable, key: string) => Promise<Row | undefined> {
  const open = new WeakMap<pg.Pool, Question<Row>>();
  const ask = (pool: pg.Pool): Question<Row> => {
    const keys = new Set<string>();
    const turnIsOver = new Promise<void>((resolve) => setImmediate(resolve));
    const answer = turnIsOver.then(() => {
      open.delete(pool);
      return read(pool, [...keys]);
    });
    const question = { keys, answer };
    open.set(pool, question);
    return question;
  };
  return async (db, key) => {
    if (!(db instanceof pg.Pool)) return (await read(db, [key])).get(key);
    const question = open.get(db) ?? ask(db);
    question.keys.add(key);
    return (await question.answer).get(key);
  };
}

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { askedTogether, type ReadRows } from '../../../db/asked-together.ts';
import { inTransaction } from '../../../db/client.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
/** The keys of each statement. */
let statements: string[][];
const find = askedTogether<string>((db, keys) => read(db, keys));

const read: ReadRows<string> = async (db, keys) => {
  statements.push([...keys]);
  const { rows } = await db.query<{ key: string; value: string }>('select key, value from things where key = any($1)', [
    keys,
  ]);
  return new Map(rows.map(({ key, value }) => [key, value]));
};

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('create table things (key text primary key, value text)');
});
beforeEach(async () => {
  statements = [];
  await database.pool.query(`truncate things; insert into things values ('a', '1'), ('b', '2')`);
});
afterAll(() => database.drop());

it('makes one statement of what is asked in one turn, each key once', async () => {
  const asked = ['a', 'b', 'a', 'c'].map((key) => find(database.pool, key));
  expect(await Promise.all(asked)).toEqual(['1', '2', '1', undefined]);
  expect(statements).toEqual([['a', 'b', 'c']]);
});

it('answers nobody with what was read before he asked', async () => {
  expect(await find(database.pool, 'a')).toBe('1');
  await database.pool.query(`update things set value = 'new' where key = 'a'`);
  const asked = find(database.pool, 'a');
  await new Promise((resolve) => setImmediate(resolve));
  // The statement is on its way by now.
  const later = find(database.pool, 'a');
  expect(await Promise.all([asked, later])).toEqual(['new', 'new']);
  expect(statements).toEqual([['a'], ['a'], ['a']]);
});

it('sees in a transaction what that wrote, and shows it to no other', async () => {
  await inTransaction(database.pool, async (client) => {
    await client.query(`update things set value = 'mine' where key = 'a'`);
    expect(await Promise.all([find(client, 'a'), find(database.pool, 'a')])).toEqual(['mine', '1']);
  });
});

it('fails for all who asked together, and is asked anew after it', async () => {
  await database.pool.query('alter table things rename to away');
  const asked = await Promise.allSettled([find(database.pool, 'a'), find(database.pool, 'b')]);
  await database.pool.query('alter table away rename to things');
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find(database.pool, 'a')).toBe('1');
});

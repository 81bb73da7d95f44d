import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertOwner, listUsers } from '../../../db/users.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('makes one owner, whether set up in the browser or on the command line, or both at once', async () => {
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      insertOwner(database.pool, { email: `${at}@example.com`, name: 'Owner', passwordHash: 'x' }),
    ),
  );
  expect(made.filter((user) => user !== undefined)).toHaveLength(1);
  expect(await listUsers(database.pool)).toMatchObject([{ is_owner: true, is_active: true, role_ids: ['admin'] }]);
});

it('has no second owner whatever is written', async () => {
  const second = `insert into users (email, name, is_active, is_owner) values ('x@example.com', 'X', true, true)`;
  await expect(database.pool.query(second)).rejects.toThrow('users_one_owner');
});

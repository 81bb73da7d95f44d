import { afterAll, beforeAll, expect, test } from 'vitest';
import { int4Array } from '../../../db/array-parameter.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each([[[]], [[0]], [[1, -1, 2_147_483_647, -2_147_483_648]]])('the server reads %j as it is', async (values) => {
  const { rows } = await database.pool.query<{ read: number[] }>('select $1::int[] as read', [int4Array(values)]);
  expect(rows).toEqual([{ read: values }]);
});

import pg from 'pg';

/**
 * Does `work` inside an open transaction as if no key it writes were there. False, and nothing is written, where one is;
 * whatever else goes wrong is thrown and leaves the transaction to be rolled back.
 */
export async function writeOptimistically(client: pg.PoolClient, work: () => Promise<unknown>): Promise<boolean> {
  await client.query('savepoint optimistic');
  try {
    await work();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '23505') throw error;
    await client.query('rollback to savepoint optimistic');
    return false;
  }
  await client.query('release savepoint optimistic');
  return true;
}

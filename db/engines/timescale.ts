import type pg from 'pg';
import { inTransaction } from '../client.ts';
import type { Engine, TimeRelation } from './engine.ts';

const LOCK_TIMEOUT = '2s';

/** TimescaleDB: hypertables, which make their chunks themselves. Jobs are run by housekeeping, not by policies. */
export const timescale: Engine = {
  name: 'timescale',
  createSpans: async () => undefined,
  async dropBefore(pool, relation, edge) {
    const { rowCount } = await inTransaction(pool, async (client) => {
      await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
      return client.query('select drop_chunks($1::regclass, to_timestamp($2))', [relation, edge]);
    });
    return rowCount ?? 0;
  },
  async compressBefore(pool, relation, edge, limit) {
    const chunks = await plainChunks(pool, relation, edge, limit);
    for (const chunk of chunks) {
      await inTransaction(pool, async (client) => {
        await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
        await client.query('set local statement_timeout = 0');
        await client.query('select compress_chunk($1::regclass, if_not_compressed => true)', [chunk]);
      });
    }
    return chunks.length;
  },
  // Its own plan node costs ten microseconds at each look-up; plain Append over one chunk costs nothing.
  async favourLookups(client) {
    await client.query('set local timescaledb.enable_chunk_append = off');
  },
  async allowBulkChange(client) {
    await client.query('set local timescaledb.max_tuples_decompressed_per_dml_transaction = 0');
  },
  // With the segment's column alone in the condition whole compressed batches are removed unread.
  purgeSlices: async () => [null],
};

async function plainChunks(pool: pg.Pool, relation: TimeRelation, edge: number, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ chunk: string }>(
    `select format('%I.%I', chunk_schema, chunk_name) as chunk from timescaledb_information.chunks
     where hypertable_name = $1 and not is_compressed and range_end <= to_timestamp($2) order by range_end limit $3`,
    [relation, edge, limit],
  );
  return rows.map((row) => row.chunk);
}

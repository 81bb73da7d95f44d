import type pg from 'pg';
import { inTransaction } from './client.ts';
import { lockNatsAccounts } from './locks.ts';

/** What a region's account at NATS is to say. */
export interface RegionAccount {
  region: string;
  /** Public nkeys of revoked agents whose credentials have not ended. */
  revoked: string[];
}

/** Tells what all regions' accounts are to say, while nobody else is being told. */
export async function withRegionAccounts(
  pool: pg.Pool,
  tell: (accounts: readonly RegionAccount[]) => Promise<void>,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockNatsAccounts(client);
    const { rows } = await client.query<RegionAccount>(
      `select regions.name as region, coalesce(array_agg(nats_user order by nats_user)
         filter (where revoked_at is not null and credentials_until > clock_timestamp()), '{}') as revoked
       from regions left join agents on region_id = regions.id and nats_user is not null
       group by regions.name order by regions.name`,
    );
    await tell(rows);
  });
}

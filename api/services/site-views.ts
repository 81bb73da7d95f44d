import type pg from 'pg';
import { inTransaction, type Queryable } from '../../db/client.ts';
import { countBookOf } from '../../db/count-book.ts';
import { createKeptValues, type Keeping } from './kept-values.ts';
import { readPageView, type SeenPage } from './page-view.ts';
import { daysKey, timeZoneOf } from './visitor-days.ts';

/** How old what is shown may be; what has happened in the meantime comes with the next look. */
const KEEPING: Keeping = { freshMs: 5000, staleMs: 15_000, capacity: 300 };

/** What the pages for people show. Time zones are names that `isTimeZone` knows. */
export interface SiteViews {
  statusPage(path: string, timeZone: string): Promise<SeenPage | undefined>;
}

/** Views out of the database at `pool`, each kept for some seconds. */
export function createSiteViews(pool: pg.Pool, keeping: Keeping = KEEPING): SiteViews {
  const book = countBookOf(pool);
  const pages = createKeptValues<SeenPage | undefined>(keeping);
  return {
    async statusPage(path, timeZone) {
      const zone = timeZoneOf(timeZone);
      return pages.get(`${path} ${daysKey(zone, Date.now() / 1000)}`, () =>
        inSnapshot(pool, (client) => readPageView(client, book, path, zone)),
      );
    },
  };
}

function inSnapshot<T>(pool: pg.Pool, read: (client: Queryable) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    return read(client);
  });
}

import type pg from 'pg';
import type { z } from 'zod';
import type { previewedPage } from '../../core/dashboard-page.ts';
import { HOME_PATH, type Page } from '../../core/page.ts';
import { createTimeZone } from '../../core/time-zone.ts';
import { inDraft } from '../../db/client.ts';
import { countBookOf } from '../../db/count-book.ts';
import { findPageById } from '../../db/pages.ts';
import { renderStatusPage } from '../../web/render.tsx';
import type { Context } from '../context.ts';
import { readPageView } from './page-view.ts';
import { readSiteView } from './site-view.ts';
import { createPage, pageIdNotFound, patchPage } from './write-page.ts';

type Previewed = z.output<typeof previewedPage>;

/** Writes the page as it is asked for, shows what visitors would see, and undoes it: no rule of either exists twice. */
export async function previewPage(
  { pool, stylesheet }: Pick<Context, 'pool' | 'stylesheet'>,
  { timezone: timeZone = 'UTC', page }: Previewed,
): Promise<string> {
  const seen = await inDraft(pool, async (client) => {
    const { page_path: path } = await write(client, page);
    return readPageView(client, countBookOf(pool), path, createTimeZone(timeZone));
  });
  if (!seen) throw new Error('a page was written and is not there');
  const path = seen.view.path === HOME_PATH ? '/' : `/${seen.view.path}`;
  return renderStatusPage(seen.view, {
    ...{ reader: { locale: 'en', timeZone, theme: 'system' }, site: await readSiteView(pool), now: seen.now },
    ...{ assets: { css: stylesheet, js: null }, path, query: '', base: '', isPublished: false },
  });
}

async function write(client: pg.PoolClient, fields: Previewed['page']): Promise<Page> {
  if (fields.id === null) return createPage(client, fields);
  const { id, ...patch } = fields;
  const page = await findPageById(client, id);
  if (!page) throw pageIdNotFound(id);
  return patchPage(client, page, patch);
}

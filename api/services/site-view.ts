import { HOME_PATH } from '../../core/page.ts';
import { DEFAULT_SITE_DATA } from '../../core/site-data.ts';
import type { Queryable } from '../../db/client.ts';
import { findPage } from '../../db/pages.ts';
import { readSiteData } from '../../db/site-data.ts';
import type { SiteView } from '../../web/view.ts';

/** What the site as a whole is called and looks like. A site that nobody has named is called as its first page is. */
export async function readSiteView(db: Queryable): Promise<SiteView> {
  const data = await readSiteData(db);
  const home = await findPage(db, HOME_PATH);
  const isNamed = data.siteName !== DEFAULT_SITE_DATA.siteName;
  return {
    name: isNamed ? data.siteName : (home?.page_title ?? data.siteName),
    title: data.title,
    logo: data.logo ?? home?.page_logo ?? null,
    favicon: data.favicon,
    description: data.description,
    footer: data.footer,
    theme: data.theme,
    timeZone: data.timezone,
    language: data.language,
    url: data.siteURL?.replace(/\/+$/, '') ?? null,
  };
}

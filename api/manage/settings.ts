import { z } from 'zod';
import { SITE_KEYS, siteData } from '../../core/site-data.ts';
import { readSiteData, writeSiteData } from '../../db/site-data.ts';
import { action } from './action.ts';

export const settingActions = [
  action({
    name: 'getAllSiteData',
    permission: 'settings.read',
    summary: "Get the site's settings",
    data: z.object({}),
    result: siteData,
    run: (_data, { db }) => readSiteData(db),
  }),
  action({
    name: 'getSiteDataByKey',
    permission: 'settings.read',
    summary: "Get one of the site's settings",
    data: z.object({ key: siteKey() }),
    result: z.object({ key: z.enum(SITE_KEYS), value: z.string().nullable(), data_type: z.literal('string') }),
    run: async ({ key }, { db }) => ({ key, value: (await readSiteData(db))[key], data_type: 'string' as const }),
  }),
  action({
    name: 'storeSiteData',
    permission: 'settings.write',
    summary: "Set some of the site's settings: what is not named is kept",
    data: siteData.partial().strict(),
    result: siteData,
    about: (data) => ({ keys: Object.keys(data).join(' ') }),
    run: async (data, { db }) => {
      await writeSiteData(db, data);
      return readSiteData(db);
    },
  }),
];

/** The reference's words for a key that does not exist (§1.7). */
function siteKey() {
  return z.enum(SITE_KEYS, {
    error: ({ input }) => `Config key '${String(input).slice(0, 100)}' is not a valid configuration key`,
  });
}

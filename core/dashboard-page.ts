import { z } from 'zod';
import { orJsonText } from './json-text.ts';
import { inOwnWords, meantFor } from './own-words.ts';
import { givenSettings } from './page-settings.ts';
import { completePage, newPageFields, pagePatch, pageResource, type Page, type PagePatch } from './page.ts';
import { rowId } from './row-id.ts';
import { isTimeZone } from './time-zone.ts';

/** Pages in the words of the dashboard's endpoint (reference §7): their settings are a text of JSON as well. */

export const dashboardPage = pageResource
  .extend({ page_settings_json: z.string().meta({ description: '`page_settings` as a text of JSON' }) })
  .meta({ id: 'DashboardPage' });

export function toDashboardPage(page: Page): z.output<typeof dashboardPage> {
  return { ...page, page_settings_json: JSON.stringify(page.page_settings) };
}

const page_settings_json = orJsonText(givenSettings.nullable())
  .optional()
  .meta({ description: 'Counts where there are no `page_settings`' });

/** The data of `createPage`. */
export const newDashboardPage = newPageFields
  .extend({ page_settings_json })
  .transform(({ page_settings_json: text, ...fields }) =>
    completePage({ ...fields, page_settings: fields.page_settings ?? text ?? {} }),
  );

/** What `updatePage` changes: what is not named is kept. */
export const dashboardPagePatch = pagePatch
  .extend({ page_settings_json })
  .transform(({ page_settings_json: text, ...patch }): PagePatch => {
    return { ...patch, page_settings: patch.page_settings ?? text ?? undefined };
  });

const timezone = z
  .string('timezone must be the name of a time zone')
  .refine(isTimeZone, 'timezone must be the name of a time zone')
  .optional()
  .meta({ description: 'Whose days the page shows; UTC by default' });

const changed = z.object({ id: rowId('id') }).and(dashboardPagePatch);
const created = newDashboardPage.transform((fields) => ({ id: null, ...fields }));

/** The data of `previewPage`: those of `updatePage` where they have an id, else those of `createPage`. */
export const previewedPage = z.object({
  timezone,
  page: inOwnWords(
    meantFor([changed, created], (input) =>
      typeof input === 'object' && input !== null && 'id' in input && Boolean(input.id) ? changed : created,
    ),
    (_path, message) => message,
  ),
});

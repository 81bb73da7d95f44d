import { z } from 'zod';
import { eachInTurn } from './own-words.ts';
import { givenSettings, newSettings, pageSettings, type GivenSettings } from './page-settings.ts';
import { checkStorableText } from './storable.ts';

/** Pages (specification 2.7, 4.5; reference §1.5 and §12): literal messages, checks in order of keys. */

/** The seeded page, under a path that no sanitised one can equal. */
export const HOME_PATH = '~home';

/** A path is indexed, and an index row has a limit. */
const MAX_PATH_LENGTH = 255;
/** What the service itself answers under these would hide the page. */
const RESERVED = new Set([
  ...['api', 'manage', 'badge', 'embed', 'docs', 'openapi.json', 'healthz', 'metrics', 'assets'],
  ...['incidents', 'maintenances', 'monitors', 'events', 'rss.xml'],
]);

const PATH_REQUIRED = 'page_path is required and must be a string';

/** The path a page gets: lowercase, blanks as hyphens, and nothing outside `[a-z0-9_-]`. */
export function sanitizePagePath(text: string): string {
  return text
    .toLowerCase()
    .trim()
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9_-]/g, '');
}

const texts = {
  page_subheader: optionalText('page_subheader'),
  page_logo: optionalText('page_logo'),
};

/** A page as answers show it, keys in the reference's order. */
export const pageResource = z
  .object({
    id: z.int(),
    page_path: z.string().meta({ examples: ['~home', 'storefront'] }),
    page_title: z.string(),
    page_header: z.string(),
    page_subheader: z.string().nullable(),
    page_logo: z.string().nullable(),
    page_settings: pageSettings,
    monitors: z.array(z.object({ monitor_tag: z.string(), position: z.int().min(0) })),
    created_at: z.iso.datetime({ precision: 3 }),
    updated_at: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'Page' });
export type Page = z.output<typeof pageResource>;

/** What a client writes of a page, besides its monitors. */
export interface PageFields {
  page_path: string;
  page_title: string;
  page_header: string;
  page_subheader: string | null;
  page_logo: string | null;
  page_settings: GivenSettings;
}

export type NewPage = PageFields & { monitors: string[] };

/** What POST reads. */
export const newPageFields = z.object({
  page_path: z
    .string(PATH_REQUIRED)
    .min(1, { message: PATH_REQUIRED, abort: true })
    .superRefine(checkPath)
    .transform(sanitizePagePath),
  page_title: requiredText('page_title is required and must be a non-empty string'),
  page_header: requiredText('page_header is required and must be a non-empty string'),
  ...z.object(texts).partial().shape,
  monitors: monitorTags('monitors').optional(),
  page_settings: givenSettings.optional(),
});

/** The body of POST. */
export const newPage = newPageFields.transform(completePage);

/** The body of PATCH: what is not named is kept, settings merge, monitors replace the whole list. */
export const pagePatch = z
  .object({
    page_path: z
      .string('page_path must be a string')
      .superRefine((text, context) => {
        if (text !== HOME_PATH) checkPath(text, context);
      })
      .transform((text) => (text === HOME_PATH ? text : sanitizePagePath(text))),
    page_title: requiredText('page_title must be a non-empty string'),
    page_header: requiredText('page_header must be a non-empty string'),
    ...texts,
    page_settings: givenSettings,
    monitors: monitorTags('monitors'),
  })
  .partial();
export type PagePatch = z.output<typeof pagePatch>;

/** A list of monitors by their tags; of one that is named twice the first place counts. `name`: the field's. */
export function monitorTags(name: string) {
  const item = z.string(`${name} must be an array of monitor tags`);
  return eachInTurn(item, `${name} must be an array`).transform((tags) => [...new Set(tags)]);
}

/** With what POST gives where nothing is said. */
export function completePage(fields: z.output<typeof newPageFields>): NewPage {
  const { page_subheader = null, page_logo = null, page_settings = {}, monitors = [] } = fields;
  return { ...fields, page_subheader, page_logo, page_settings: newSettings(page_settings), monitors };
}

/**
 * The path after a patch; undefined where the patch would rename the home page. It may name the home page as it is
 * shown, so that a page which was read can be written back.
 */
export function renamedPath(current: string, wanted = current): string | undefined {
  if (current === HOME_PATH) return wanted === HOME_PATH ? HOME_PATH : undefined;
  return sanitizePagePath(wanted);
}

function checkPath(text: string, context: z.RefinementCtx): void {
  const path = sanitizePagePath(text);
  const fault = (message: string): void => context.addIssue({ code: 'custom', message });
  if (path === '') fault('page_path must contain a letter, a digit, a hyphen or an underscore');
  else if (path.length > MAX_PATH_LENGTH) fault(`page_path must be at most ${MAX_PATH_LENGTH} characters`);
  // What is reserved with a dot would be free without it.
  else if (RESERVED.has(path) || RESERVED.has(text.toLowerCase().trim())) fault(`Page path '${path}' is reserved`);
}

function requiredText(message: string) {
  return z.string(message).trim().min(1, message).superRefine(checkStorableText);
}

function optionalText(field: string) {
  return z.string(`${field} must be a string or null`).superRefine(checkStorableText).nullable();
}

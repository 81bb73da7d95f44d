import { AppError } from '../../core/app-error.ts';
import { mergeSettings } from '../../core/page-settings.ts';
import {
  HOME_PATH,
  renamedPath,
  sanitizePagePath,
  type NewPage,
  type Page,
  type PageFields,
  type PagePatch,
} from '../../core/page.ts';
import { brokenConstraint, inTransaction, type Database, type Queryable } from '../../db/client.ts';
import { findUnknownTag } from '../../db/monitor-references.ts';
import {
  deletePage,
  findPage,
  insertPage,
  isPathTaken,
  lockPage,
  replacePageMonitors,
  updatePage,
} from '../../db/pages.ts';

/** Makes a page with its monitors. */
export function createPage(db: Database, { monitors, ...fields }: NewPage): Promise<Page> {
  return inTransaction(db, async (client) => {
    const id = await insertPage(client, fields);
    if (id === undefined) throw pathTaken(fields.page_path);
    await writeMonitors(client, id, monitors);
    return found(await findPage(client, fields.page_path), fields.page_path);
  });
}

/** Changes what the patch names and keeps the rest, also while others change the same page. */
export function patchPage(db: Database, { id, page_path }: Page, { monitors, ...patch }: PagePatch): Promise<Page> {
  return inTransaction(db, async (client) => {
    const current = await lockPage(client, id);
    if (!current) throw pageNotFound(page_path);
    const path = await freePath(client, current.page_path, patch.page_path);
    const page_settings = mergeSettings(current.page_settings, patch.page_settings ?? {});
    await update(client, id, { ...current, ...patch, page_path: path, page_settings });
    if (monitors) await writeMonitors(client, id, monitors);
    return found(await findPage(client, path), path);
  });
}

/** Changes which monitors a page shows, and in which order, also while others do; nothing else of it changes. */
export function changePageMonitors(
  db: Database,
  id: number,
  change: (tags: readonly string[]) => readonly string[],
): Promise<void> {
  return inTransaction(db, async (client) => {
    const current = await lockPage(client, id);
    if (!current) throw pageIdNotFound(id);
    const { monitors } = found(await findPage(client, current.page_path), current.page_path);
    await updatePage(client, id, current);
    await writeMonitors(client, id, change(monitors.map(({ monitor_tag }) => monitor_tag)));
  });
}

/** Deletes a page that is not the home page; its monitors stay. */
export async function removePage(db: Queryable, { id, page_path }: Page): Promise<void> {
  if (page_path === HOME_PATH) throw new AppError('BAD_REQUEST', 'Cannot delete the home page');
  if (!(await deletePage(db, id))) throw pageNotFound(page_path);
}

/** What is told before the faults in a new page's monitors and settings. For `bodyCheck`. */
export async function checkNewPage(body: Record<string, unknown>, { db }: { db: Queryable }): Promise<void> {
  const path = sanitizePagePath(String(body.page_path));
  if (await isPathTaken(db, path)) throw pathTaken(path);
  if (!Array.isArray(body.monitors)) return;
  const strange = body.monitors.findIndex((tag) => typeof tag !== 'string');
  const tags = body.monitors.slice(0, strange < 0 ? undefined : strange) as string[];
  const unknown = await findUnknownTag(db, tags);
  if (unknown !== undefined) throw monitorUnknown(unknown);
}

/** What is told before the faults behind a patch's path. For `bodyCheck`. */
export async function checkRename(
  { page_path: wanted }: Record<string, unknown>,
  { db }: { db: Queryable },
  { page_path: current }: Page,
): Promise<void> {
  if (typeof wanted === 'string') await freePath(db, current, wanted);
}

/** `path`: as the request has it. */
export function pageNotFound(path: string): AppError {
  return new AppError('NOT_FOUND', `Page with path '${path}' not found`);
}

export function pageIdNotFound(id: number): AppError {
  return new AppError('NOT_FOUND', `Page with id '${id}' not found`);
}

/** The path a page may take. Looked up before it is written: two that swap theirs would else wait for each other. */
async function freePath(db: Queryable, current: string, wanted?: string): Promise<string> {
  const path = renamedPath(current, wanted);
  if (path === undefined) throw refused('page_path', 'Home page path cannot be changed');
  if (path !== current && (await isPathTaken(db, path))) throw pathTaken(path);
  return path;
}

async function update(client: Queryable, id: number, fields: PageFields): Promise<void> {
  try {
    await updatePage(client, id, fields);
  } catch (error) {
    if (brokenConstraint(error) === 'pages_page_path_key') throw pathTaken(fields.page_path, error);
    throw error;
  }
}

async function writeMonitors(client: Queryable, id: number, tags: readonly string[]): Promise<void> {
  const unknown = await replacePageMonitors(client, id, tags);
  if (unknown !== undefined) throw monitorUnknown(unknown);
}

function found(page: Page | undefined, path: string): Page {
  if (!page) throw pageNotFound(path);
  return page;
}

function pathTaken(path: string, cause?: unknown): AppError {
  return refused('page_path', `Page with path '${path}' already exists`, cause);
}

function monitorUnknown(tag: string): AppError {
  return refused('monitors', `Monitor with tag '${tag}' does not exist`);
}

function refused(path: string, message: string, cause?: unknown): AppError {
  return new AppError('BAD_REQUEST', message, { cause, details: [{ path, message }] });
}

import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import {
  dashboardPage,
  dashboardPagePatch,
  newDashboardPage,
  previewedPage,
  toDashboardPage,
} from '../../core/dashboard-page.ts';
import { monitorTag } from '../../core/monitor-reference.ts';
import { monitorTags, type Page } from '../../core/page.ts';
import { rowId } from '../../core/row-id.ts';
import { findPageById, listPages } from '../../db/pages.ts';
import type { Context } from '../context.ts';
import { previewPage } from '../services/preview-page.ts';
import { changePageMonitors, createPage, pageIdNotFound, patchPage, removePage } from '../services/write-page.ts';
import { ACKNOWLEDGED, acknowledged } from './acknowledged.ts';
import { action } from './action.ts';

const id = rowId('id');
const page_id = rowId('page_id');

export const pageActions = [
  action({
    name: 'getPages',
    permission: 'pages.read',
    summary: 'List pages with their monitors, oldest first',
    data: z.object({}),
    result: z.array(dashboardPage),
    run: async (_data, { db }) => (await listPages(db)).map(toDashboardPage),
  }),
  action({
    name: 'createPage',
    permission: 'pages.write',
    summary: 'Create a page',
    data: newDashboardPage,
    result: dashboardPage,
    about: ({ page_path: path }) => ({ path }),
    run: async (fields, { db }) => toDashboardPage(await createPage(db, fields)),
  }),
  action({
    name: 'updatePage',
    permission: 'pages.write',
    summary: 'Change a page: what is not named is kept',
    data: z.object({ id }).and(dashboardPagePatch),
    result: dashboardPage,
    about: ({ id }) => ({ pageId: id }),
    run: async ({ id, ...patch }, context) =>
      toDashboardPage(await patchPage(context.db, await pageOf(id, context), patch)),
  }),
  action({
    name: 'previewPage',
    permission: 'pages.write',
    summary: 'The status page as it would be after createPage or, with an id, updatePage: nothing is stored',
    data: previewedPage,
    result: z.object({ html: z.string().meta({ description: 'A whole document, without any script' }) }),
    run: async (data, context) => ({ html: await previewPage(context, data) }),
  }),
  action({
    name: 'deletePage',
    permission: 'pages.write',
    summary: 'Delete a page; its monitors stay',
    data: z.object({ id }),
    result: acknowledged,
    about: ({ id }) => ({ pageId: id }),
    run: async ({ id }, context) => {
      await removePage(context.db, await pageOf(id, context));
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'addMonitorToPage',
    permission: 'pages.write',
    summary: 'Show a monitor on a page, behind the others',
    data: z.object({ page_id, monitor_tag: monitorTag }),
    result: acknowledged,
    about: ({ page_id, monitor_tag: tag }) => ({ pageId: page_id, tag }),
    run: async ({ page_id: id, monitor_tag: tag }, { db }) => {
      await changePageMonitors(db, id, (tags) => {
        if (tags.includes(tag)) throw refused('monitor_tag', `Monitor with tag '${tag}' is on this page already`);
        return [...tags, tag];
      });
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'removeMonitorFromPage',
    permission: 'pages.write',
    summary: 'Show a monitor on a page no more',
    data: z.object({ page_id, monitor_tag: monitorTag }),
    result: acknowledged,
    about: ({ page_id, monitor_tag: tag }) => ({ pageId: page_id, tag }),
    run: async ({ page_id: id, monitor_tag: tag }, { db }) => {
      await changePageMonitors(db, id, (tags) => {
        if (!tags.includes(tag)) throw new AppError('NOT_FOUND', `Monitor with tag '${tag}' is not on this page`);
        return tags.filter((other) => other !== tag);
      });
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'reorderPageMonitors',
    permission: 'pages.write',
    summary: 'Put monitors of a page in an order; those that are not named follow as they stood',
    data: z.object({ page_id, monitor_tags: monitorTags('monitor_tags') }),
    result: acknowledged,
    about: ({ page_id }) => ({ pageId: page_id }),
    run: async ({ page_id: id, monitor_tags: wanted }, { db }) => {
      await changePageMonitors(db, id, (tags) => {
        const stranger = wanted.find((tag) => !tags.includes(tag));
        if (stranger !== undefined) throw refused('monitor_tags', `Monitor with tag '${stranger}' is not on this page`);
        return [...new Set([...wanted, ...tags])];
      });
      return ACKNOWLEDGED;
    },
  }),
];

async function pageOf(id: number, { db }: Pick<Context, 'db'>): Promise<Page> {
  const page = await findPageById(db, id);
  if (!page) throw pageIdNotFound(id);
  return page;
}

function refused(path: string, message: string): AppError {
  return new AppError('BAD_REQUEST', message, { details: [{ path, message }] });
}

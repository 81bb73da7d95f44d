import { z } from 'zod';
import { newPage, pagePatch, pageResource, type Page } from '../../core/page.ts';
import { findPage, listPages } from '../../db/pages.ts';
import type { Context } from '../context.ts';
import { route } from '../http/route.ts';
import { checkNewPage, checkRename, createPage, pageNotFound, patchPage, removePage } from '../services/write-page.ts';

const pageAnswer = z.object({ page: pageResource });

export const pageRoutes = [
  route({
    method: 'GET',
    path: '/api/v4/pages',
    summary: 'List pages, oldest first',
    permission: 'pages.read',
    response: z.object({ pages: z.array(pageResource) }),
    handler: async (_input, { db }) => ({ pages: await listPages(db) }),
  }),
  route({
    method: 'POST',
    path: '/api/v4/pages',
    summary: 'Create a page',
    permission: 'pages.write',
    status: 201,
    body: newPage,
    example: {
      page_path: 'storefront',
      page_title: 'Storefront status',
      page_header: 'Storefront',
      page_settings: { incidents: { resolved: { max_count: 10 } } },
      monitors: [],
    },
    bodyCheck: {
      after: ['page_path', 'page_title', 'page_header', 'page_subheader', 'page_logo'],
      check: checkNewPage,
    },
    response: pageAnswer,
    handler: async ({ body }, { db }) => ({ page: await createPage(db, body) }),
  }),
  route({
    method: 'GET',
    path: '/api/v4/pages/{page_path}',
    summary: 'Get a page; the home page is `~home`',
    permission: 'pages.read',
    resource: pageInPath,
    response: pageAnswer,
    handler: async ({ resource }) => ({ page: resource }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v4/pages/{page_path}',
    summary: 'Change a page: what is not named is kept',
    permission: 'pages.write',
    resource: pageInPath,
    body: pagePatch,
    example: { page_header: 'Storefront and checkout', page_settings: { incidents: { enabled: false } } },
    bodyCheck: { after: ['page_path'], check: checkRename },
    response: pageAnswer,
    handler: async ({ resource, body }, { db }) => ({ page: await patchPage(db, resource, body) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v4/pages/{page_path}',
    summary: 'Delete a page; its monitors stay',
    permission: 'pages.write',
    resource: pageInPath,
    response: z.object({ message: z.string() }),
    handler: async ({ resource }, { db }) => {
      await removePage(db, resource);
      return { message: `Page '${resource.page_path}' deleted successfully` };
    },
  }),
];

/** The page a path names, or its absence. */
async function pageInPath({ page_path }: { page_path: string }, { db }: Context): Promise<Page> {
  const page = await findPage(db, page_path);
  if (!page) throw pageNotFound(page_path);
  return page;
}

import { expect } from 'vitest';
import type { Page } from '../../core/page.ts';
import type { Answer, ApiClient } from './api-client.ts';

let serial = 0;

/** A path that no page of this test file has. */
export const unusedPath = (): string => `page-${(serial += 1)}`;

/** Creates a page through the API. */
export async function createPage(api: ApiClient, fields: object = {}): Promise<Page> {
  const answer = await api.post('/api/v4/pages', {
    page_path: unusedPath(),
    page_title: 'A title',
    page_header: 'A header',
    ...fields,
  });
  expect(answer.status, answer.text).toBe(201);
  return pageOf(answer);
}

export function pageOf({ body }: Answer): Page {
  // Held against the document by the client.
  return (body as { page: Page }).page;
}

export function pagesOf({ body }: Answer): Page[] {
  // Held against the document by the client.
  return (body as { pages: Page[] }).pages;
}

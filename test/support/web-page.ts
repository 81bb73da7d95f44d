import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A page in a browser, with what it said on the console and whom it asked. */
export interface WatchedPage {
  page: Page;
  said: string[];
  asked: string[];
  close: () => Promise<void>;
}

export const SIZES = { desk: { width: 1200, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** Opens a window of its own, with cookies of its own. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'Europe/Berlin', ...options });
  const page = await context.newPage();
  const said: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(error.message));
  page.on('request', (request) => asked.push(request.url()));
  return { page, said, asked, close: () => context.close() };
}

/** What axe finds wrong with the page as it stands, by the rules of WCAG 2.2 AA: a line each, none for a good page. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // As the test's own script: the page's policy lets in none from outside.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // The line above has put it there.
    const { axe: engine } = globalThis as unknown as { axe: typeof axe };
    const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await engine.run(document, { runOnly: rules });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

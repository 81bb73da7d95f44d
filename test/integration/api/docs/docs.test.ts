import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { openBrowser } from '../../../support/browser.ts';

/** A browser on a busy machine takes its time. */
const LIMIT_MS = 120_000;

let test: TestApi;
let browser: Browser;
beforeAll(async () => {
  [test, browser] = await Promise.all([startApi(), openBrowser()]);
}, LIMIT_MS);
afterAll(async () => {
  await browser.close();
  await test.stop();
});

interface Visit {
  said: string[];
  asked: string[];
}

/** A page that notes what it says on the console and whom it asks. */
async function visit(path: string) {
  const page = await browser.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  const seen: Visit = { said: [], asked: [] };
  page.on('console', (message) => seen.said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => seen.said.push(error.message));
  page.on('request', (request) => seen.asked.push(request.url()));
  await page.goto(test.api.base + path);
  return { page, seen };
}

it(
  'shows every operation, silently, and asks nobody but its own host',
  async () => {
    const { page, seen } = await visit('/docs');
    const operations = Object.values(test.api.document.paths as object).flatMap((methods) =>
      Object.keys(methods as object),
    );
    const shown = page.locator('.opblock');
    await shown.first().waitFor({ timeout: LIMIT_MS });
    await expect.poll(() => shown.count(), { timeout: LIMIT_MS }).toBe(operations.length);
    await page
      .locator('.opblock-summary-path', { hasText: /^\/api\/v4\/incidents$/ })
      .first()
      .click();
    await page.locator('.opblock-body').getByText('Parameters').first().waitFor({ timeout: LIMIT_MS });
    expect(seen.said).toEqual([]);
    const foreign = seen.asked.filter((url) => !url.startsWith('data:') && new URL(url).origin !== test.api.base);
    expect(foreign).toEqual([]);
    expect(new Set(seen.asked.map((url) => new URL(url).pathname))).toContain('/docs/swagger-ui-bundle.js');
    await page.close();
  },
  3 * LIMIT_MS,
);

it(
  'runs no script that was put into it',
  async () => {
    const { page, seen } = await visit('/docs');
    await page.locator('.opblock').first().waitFor({ timeout: LIMIT_MS });
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.wasRun = true';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="window.wasRun = true">');
    });
    await expect
      .poll(() => seen.said.filter((text) => text.includes('Content Security Policy')).length)
      .toBeGreaterThan(0);
    expect(await page.evaluate(() => 'wasRun' in window)).toBe(false);
    await page.close();
  },
  3 * LIMIT_MS,
);

it('needs no key, and says in its headers what it may do', async () => {
  const answer = await test.api.request('GET', '/docs', { authorization: null });
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(answer.headers.get('x-frame-options')).toBe('DENY');
  for (const path of ['/docs/start.js', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css']) {
    const file = await test.api.request('GET', path, { authorization: null });
    expect([file.status, file.headers.get('x-content-type-options')], path).toEqual([200, 'nosniff']);
    expect(file.headers.get('etag')).not.toBeNull();
  }
});

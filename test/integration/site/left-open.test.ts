import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../support/api-server.ts';
import { openBrowser } from '../../support/browser.ts';
import { openPage, SIZES } from '../../support/web-page.ts';

/** A status page that nobody has loaded again for a while. */
const now = Math.floor(Date.now() / 60_000) * 60;

let test: TestApi;
let browser: Browser;

beforeAll(async () => {
  [test, browser] = await Promise.all([startApi({ withPages: true }), openBrowser()]);
  await test.api.post('/api/v4/monitors', { tag: 'mail', name: 'Mail', monitor_type: 'NONE' });
  await test.api.patch('/api/v4/pages/~home', { monitors: ['mail'] });
}, 180_000);
afterAll(async () => {
  await browser.close();
  await test.stop();
});

it('tells of today as it is by now', async () => {
  const { page, close } = await openPage(browser, { viewport: SIZES.desk, timezoneId: 'UTC' });
  await page.clock.install();
  await page.goto(test.api.base);
  const tip = page.locator('.tip');
  const today = async (): Promise<string> => {
    await page.clock.runFor(31_000);
    await page.locator('a.days').focus();
    await page.keyboard.press('End');
    await tip.waitFor({ timeout: 20_000 });
    const text = await tip.innerText();
    await page.keyboard.press('Escape');
    return text;
  };
  expect(await today()).not.toContain('Degraded');
  const point = { start_ts: now, end_ts: now + 60, status: 'DEGRADED', latency: 12 };
  await test.api.patch('/api/v4/monitors/mail/data', point);
  await expect.poll(today, { timeout: 40_000, interval: 500 }).toContain('Degraded');
  await close();
}, 90_000);

it('says that it is not renewed where nothing is answered at all', async () => {
  const { page, close } = await openPage(browser, { timezoneId: 'UTC' });
  await page.clock.install();
  await page.goto(test.api.base);
  const note = page.getByText('Updates are not coming through');
  await page.route('**/*', () => undefined);
  const later = async (): Promise<boolean> => {
    await page.clock.runFor(21_000);
    return note.isVisible();
  };
  await expect.poll(later, { timeout: 30_000, interval: 500 }).toBe(true);
  await close();
}, 60_000);

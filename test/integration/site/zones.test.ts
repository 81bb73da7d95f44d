import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../support/api-server.ts';
import { openBrowser } from '../../support/browser.ts';
import { stopClock } from '../../support/monitoring-fixture.ts';
import { openPage } from '../../support/web-page.ts';

const HOUR = 3600;
/** A week after the clocks of Berlin were set back. */
const NOW = Date.UTC(2026, 10, 2, 12) / 1000;
/** From the hour after they had been set forward. */
const SPRING = Date.UTC(2026, 2, 28, 12) / 1000;

let test: TestApi;
let browser: Browser;

beforeAll(async () => {
  [test, browser] = await Promise.all([startApi({ withPages: true }), openBrowser()]);
  await stopClock(test.database.pool, NOW);
  await test.api.post('/api/v4/monitors', {
    ...{ tag: 'shop', name: 'The shop', monitor_type: 'TCP' },
    type_data: { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80 }] },
  });
  const write = (from: number, to: number, status: string) =>
    test.api.patch('/api/v4/monitors/shop/data', { start_ts: from, end_ts: to, status, latency: 12 });
  await write(SPRING, SPRING + 48 * HOUR, 'UP');
  await write(NOW - 10 * 24 * HOUR, NOW, 'UP');
  // In Berlin the first and the second of two hours that are both called two o'clock.
  await write(Date.UTC(2026, 9, 25, 0) / 1000, Date.UTC(2026, 9, 25, 1) / 1000, 'DEGRADED');
  await write(Date.UTC(2026, 9, 25, 1) / 1000, Date.UTC(2026, 9, 25, 2) / 1000, 'DOWN');
  await test.api.patch('/api/v4/pages/~home', { monitors: ['shop'] });
}, 180_000);
afterAll(async () => {
  await browser.close();
  await test.stop();
});

/** A page as somebody sees it whose clock stands in that zone. */
async function seenFrom(timezoneId: string, path: string) {
  const opened = await openPage(browser, { timezoneId });
  await opened.page.goto(test.api.base + path);
  await expect.poll(() => opened.page.locator('.site-foot').innerText(), { timeout: 30_000 }).toContain(timezoneId);
  return opened;
}

it('shows a day of twenty-five hours whole, and both hours of one name', async () => {
  const { page, close } = await seenFrom('Europe/Berlin', '/monitors/shop/days/2026-10-25');
  const text = await page.locator('main').innerText();
  expect(text).toContain('Sunday, October 25, 2026');
  expect(text).toContain('Up: 23 hr · Degraded: 1 hr · Down: 1 hr');
  expect(text).toMatch(/2:00\sAM – 2:00\sAM: Degraded \(1 hr\)/);
  expect(text).toMatch(/2:00\sAM – 3:00\sAM: Down \(1 hr\)/);
  expect(await page.locator('.day-strip').getAttribute('viewBox')).toBe('0 0 1500 10');
  await close();
}, 60_000);

it('shows a day of twenty-three hours whole', async () => {
  const { page, close } = await seenFrom('Europe/Berlin', '/monitors/shop/days/2026-03-29');
  expect(await page.locator('main').innerText()).toContain('Up: 23 hr');
  expect(await page.locator('.day-strip').getAttribute('viewBox')).toBe('0 0 1380 10');
  await close();
}, 60_000);

it("has each day of the visitor's zone once, over a change of clocks too", async () => {
  const { page, close } = await seenFrom('Europe/Berlin', '/monitors/shop');
  await page.getByText('Day by day').click();
  const days = await page.locator('#days tbody th').allInnerTexts();
  expect(new Set(days).size).toBe(90);
  expect(days.slice(0, 9)).toEqual(
    'Mon, Nov 2|Sun, Nov 1|Sat, Oct 31|Fri, Oct 30|Thu, Oct 29|Wed, Oct 28|Tue, Oct 27|Mon, Oct 26|Sun, Oct 25'.split(
      '|',
    ),
  );
  await close();
}, 60_000);

it('begins a day where it begins for the visitor, at the other end of the world too', async () => {
  const { page, close } = await seenFrom('Pacific/Apia', '/');
  await page.locator('a.days').first().focus();
  await page.keyboard.press('End');
  const tip = page.locator('.tip');
  await expect.poll(() => tip.innerText(), { timeout: 30_000 }).toContain('Tuesday, November 3, 2026');
  expect(await tip.innerText()).toContain('Up: 1 hr');
  await close();
}, 60_000);

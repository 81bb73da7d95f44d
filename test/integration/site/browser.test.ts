import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../support/api-server.ts';
import { openBrowser } from '../../support/browser.ts';
import { accessibilityFaults, openPage, SIZES } from '../../support/web-page.ts';

const DAY = 86_400;
const now = Math.floor(Date.now() / 60_000) * 60;
const today = new Date(now * 1000).toISOString().slice(0, 10);
const EMPTY = '/nothing-yet';
const PATHS = [
  ...['/', EMPTY, '/monitors/shop', `/monitors/shop/days/${today}`, '/incidents/1', '/maintenances/1'],
  ...['/events', '/events?month=2020-02', '/embed/monitor-shop', '/there-is-no-such-page'],
];

let test: TestApi;
let browser: Browser;

beforeAll(async () => {
  [test, browser] = await Promise.all([startApi({ withPages: true }), openBrowser()]);
  const { api } = test;
  for (const [tag, description] of [
    ['shop', 'What customers see first.'],
    ['mail', null],
  ])
    await api.post('/api/v4/monitors', {
      ...{ tag, name: `The ${tag}`, description, monitor_type: 'TCP' },
      type_data: { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80 }] },
    });
  const write = (from: number, to: number, status: string) =>
    api.patch('/api/v4/monitors/shop/data', { start_ts: from, end_ts: to, status, latency: 12, deviation: 3 });
  await write(now - 3 * DAY, now + 600, 'UP');
  await write(now - DAY, now - DAY + 3600, 'DEGRADED');
  await write(now - 3600, now - 1800, 'DOWN');
  await api.patch('/api/v4/pages/~home', {
    ...{ page_title: 'Example', page_header: 'How our services are doing', monitors: ['shop', 'mail'] },
    page_subheader: 'We look **every minute**.',
  });
  await api.post('/api/v4/pages', { page_path: EMPTY.slice(1), page_title: 'Empty', page_header: 'Nothing yet' });
  const monitors = [{ monitor_tag: 'shop', impact: 'DOWN' }];
  await api.post('/api/v4/incidents', { title: 'The shop is closed', start_date_time: now - 3600, monitors });
  for (const [state, comment] of [
    ['INVESTIGATING', 'It does not answer.'],
    ['IDENTIFIED', 'A disk is full; *writes are refused*.'],
  ])
    await api.post('/api/v4/incidents/1/comments', { state, comment });
  await api.post('/api/v4/maintenances', {
    ...{ title: 'New certificates', description: 'Short interruptions.', start_date_time: now + DAY },
    ...{ rrule: 'FREQ=WEEKLY', duration_seconds: 3600, monitors: [{ monitor_tag: 'shop', impact: 'MAINTENANCE' }] },
  });
}, 180_000);
afterAll(async () => {
  await browser.close();
  await test.stop();
});

describe.each(Object.entries(SIZES))('on a %s', (_name, viewport) => {
  it.each(['light', 'dark'] as const)(
    'in %s colours every page can be used by everybody',
    async (colorScheme) => {
      const { page, close } = await openPage(browser, { viewport, colorScheme });
      for (const path of PATHS) {
        await page.goto(test.api.base + path);
        // What is closed at first counts as well.
        await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
        expect({ path, faults: await accessibilityFaults(page) }).toEqual({ path, faults: [] });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect({ path, overflow: Math.max(0, overflow) }).toEqual({ path, overflow: 0 });
      }
      await close();
    },
    180_000,
  );
});

it('says nothing on the console and asks nobody but its own host', async () => {
  const { page, said, asked, close } = await openPage(browser);
  for (const path of PATHS.filter((one) => one !== '/there-is-no-such-page')) {
    await page.goto(test.api.base + path);
    await page.waitForLoadState('networkidle');
  }
  expect(said).toEqual([]);
  expect(asked.filter((url) => new URL(url).origin !== test.api.base)).toEqual([]);
  await close();
}, 120_000);

it('shows all of it without JavaScript', async () => {
  const { page, close } = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(test.api.base);
  const text = await page.locator('main').innerText();
  for (const shown of ['The shop', 'The shop is closed', 'A disk is full', 'New certificates', 'uptime over 90 days'])
    expect(text).toContain(shown);
  expect(await page.locator('.site-foot').innerText()).toContain('Times are in UTC');
  await page.getByRole('link', { name: 'The shop', exact: true }).first().click();
  await page.getByText('Day by day').click();
  await page.locator('#days a').first().click();
  expect(await page.locator('main').innerText()).toMatch(/Minutes[\s\S]*Latency/);
  // A bar leads to its table, which opens for whoever is led to it.
  await page.goto(test.api.base);
  await page.locator('a.days').first().click();
  await page.locator('#days').getByRole('link').first().waitFor();
  await close();
}, 60_000);

it.each(PATHS)(
  'lets everybody walk through %s by the Tab key, and shows where one is',
  async (path) => {
    const { page, close } = await openPage(browser, { viewport: SIZES.desk });
    await page.goto(test.api.base + path);
    await page.waitForLoadState('networkidle');
    const stops = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('a[href], button, select, summary, input, [tabindex]')]
        .filter((element) => element.checkVisibility())
        .map((element) => element.outerHTML),
    );
    const walked: string[] = [];
    while (walked.length < stops.length) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => {
        const element = document.activeElement ?? document.body;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        const { top, bottom, width } = element.getBoundingClientRect();
        const isSeen = width > 0 && bottom > 0 && top < innerHeight;
        return { html: element.outerHTML, isMarked: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2, isSeen };
      });
      expect(at).toMatchObject({ isMarked: true, isSeen: true });
      walked.push(at.html);
    }
    expect(walked).toEqual(stops);
    await close();
  },
  120_000,
);

it('tells of the days and opens them by keys alone', async () => {
  const { page, close } = await openPage(browser, { viewport: SIZES.desk });
  await page.goto(test.api.base);
  await page.waitForLoadState('networkidle');
  const bar = page.locator('a.days').first();
  const tip = page.locator('.tip');
  await bar.focus();
  await page.keyboard.press('ArrowLeft');
  await tip.getByText('Down').waitFor({ timeout: 20_000 });
  const today = await tip.innerText();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => tip.innerText(), { timeout: 20_000 }).not.toBe(today);
  await page.keyboard.press('Escape');
  expect(await tip.isVisible()).toBe(false);
  await page.keyboard.press('End');
  await expect.poll(() => tip.innerText(), { timeout: 20_000 }).toBe(today);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor({ timeout: 20_000 });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await bar.evaluate((element) => element === document.activeElement)).toBe(true);
  await close();
}, 90_000);

it("takes up the visitor's own time zone", async () => {
  const { page, close } = await openPage(browser, { timezoneId: 'Asia/Tokyo' });
  await page.goto(test.api.base);
  await expect.poll(() => page.locator('.site-foot').innerText(), { timeout: 20_000 }).toContain('Asia/Tokyo');
  await close();
}, 60_000);

it('tells of the day under the pointer, and shows it in a dialog that the keyboard closes', async () => {
  const { page, close } = await openPage(browser, { viewport: SIZES.desk });
  await page.goto(test.api.base);
  await page.waitForLoadState('networkidle');
  const bar = page.locator('a.days').first();
  const { width = 0 } = (await bar.boundingBox()) ?? {};
  const position = { x: width - 3, y: 10 };
  await bar.hover({ position });
  await page.locator('.tip').getByText('Down').waitFor({ timeout: 20_000 });
  await bar.click({ position });
  const dialog = page.getByRole('dialog');
  await dialog.waitFor({ timeout: 20_000 });
  expect(await dialog.innerText()).toContain('Minutes');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await close();
}, 90_000);

it.each(Object.entries(SIZES))(
  'draws the days on a %s',
  async (_name, viewport) => {
    const { page, close } = await openPage(browser, { viewport });
    await page.goto(test.api.base);
    const picture = page.locator('.day-bar:visible').first();
    const drawn = await picture.screenshot();
    await picture.evaluate((svg) => svg.replaceChildren());
    expect((await picture.screenshot()).equals(drawn)).toBe(false);
    await close();
  },
  60_000,
);

it('keeps the colours that were chosen', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(test.api.base);
  await page.getByLabel('Theme').selectOption('dark');
  await page.goto(`${test.api.base}/events`);
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  await page.getByLabel('Theme').selectOption('system');
  await page.goto(`${test.api.base}/events`);
  expect(await page.locator('html').getAttribute('data-theme')).toBe('system');
  await close();
}, 60_000);

it('renews itself quietly, and keeps what is open open', async () => {
  const { page, close } = await openPage(browser, { timezoneId: 'UTC' });
  await page.clock.install();
  await page.goto(`${test.api.base}/monitors/shop`);
  await page.getByText('Day by day').click();
  await test.api.post('/api/v4/incidents', {
    ...{ title: 'A newer one', start_date_time: now - 60 },
    monitors: [{ monitor_tag: 'shop', impact: 'DEGRADED' }],
  });
  await expect
    .poll(
      async () => {
        await page.clock.runFor(31_000);
        return page.locator('main').innerText();
      },
      { timeout: 40_000, interval: 1000 },
    )
    .toContain('A newer one');
  expect(await page.locator('#day-by-day').getAttribute('open')).not.toBeNull();
  // Whoever walks by keys stays where he was.
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Day by day');
  await close();
}, 90_000);

it('says so when it cannot be renewed, and takes it back when it can', async () => {
  const { page, close } = await openPage(browser, { timezoneId: 'UTC' });
  await page.clock.install();
  await page.goto(test.api.base);
  const note = page.getByText('Updates are not coming through');
  expect(await note.isVisible()).toBe(false);
  const later = async (): Promise<boolean> => {
    await page.clock.runFor(21_000);
    return note.isVisible();
  };
  await page.context().setOffline(true);
  await expect.poll(later, { timeout: 30_000, interval: 500 }).toBe(true);
  await page.context().setOffline(false);
  await expect.poll(later, { timeout: 30_000, interval: 500 }).toBe(false);
  await close();
}, 90_000);

it('shows a new minute within ninety seconds', async () => {
  const { page, close } = await openPage(browser, { timezoneId: 'UTC' });
  await page.goto(`${test.api.base}/monitors/mail`);
  const now = page.locator('.overall-text');
  expect(await now.innerText()).toBe('Up');
  // Points come without notice, unlike what people write through the API.
  await test.database.pool.query(
    `insert into data_points (minute, monitor_id, latency_us, status, origin, known)
     select date_trunc('minute', now()), id, 0, 4, 1, 1 from monitors where tag = 'mail'`,
  );
  await expect.poll(() => now.innerText(), { timeout: 90_000, interval: 1000 }).toBe('Down');
  await close();
}, 150_000);

it('prints what there is to read, dark on light, and nothing to click', async () => {
  const { page, close } = await openPage(browser, { colorScheme: 'dark', viewport: SIZES.desk });
  await page.goto(test.api.base);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe(
    'rgb(255, 255, 255)',
  );
  for (const unprinted of ['.site-head nav', '.languages', '.theme-switch', '.more'])
    expect(await page.locator(unprinted).isVisible()).toBe(false);
  await page.getByText('The shop is closed').first().waitFor();
  const pdf = await page.pdf({ format: 'A4' });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  await close();
}, 60_000);

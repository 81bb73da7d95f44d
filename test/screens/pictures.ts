import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { openDesk, type Desk } from '../support/dashboard-desk.ts';
import { openPage } from '../support/web-page.ts';
import { fillForPictures } from './scene.ts';

/**
 * Takes the pictures of the README. With a folder in GALLERY: every page and every view besides, light and dark, at a desk
 * and on a phone, full and empty, dialogs open, and a printed page, for whoever judges how they look.
 */
const { GALLERY } = process.env;
const README = 'docs/screens';
const MEETING_POINT = { collector: '127.0.0.1:4000', fingerprint: 'ab'.repeat(32) };
const SIZES = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;
const COLOURS = ['light', 'dark'] as const;
const WIDE = { width: 1100, height: 1000 };
const TALL = { width: 1100, height: 1340 };
const today = new Date().toISOString().slice(0, 10);

interface Picture extends BrowserContextOptions {
  name: string;
  path: string;
  /** What is done before it is taken. */
  then?: (page: Page) => Promise<unknown>;
}

const PICTURES: readonly Picture[] = [
  { name: 'status-page', path: '/', viewport: TALL },
  { name: 'status-page-dark-phone', path: '/', viewport: SIZES.phone, colorScheme: 'dark' },
  { name: 'status-page-ja', path: '/?lang=ja', viewport: TALL, timezoneId: 'Asia/Tokyo' },
  { name: 'status-page-day', path: '/', viewport: WIDE, then: openToday },
  { name: 'monitor-page-dark', path: '/monitors/payments', viewport: WIDE, colorScheme: 'dark' },
  { name: 'dashboard-monitor', path: '/manage/monitors/shop', viewport: { width: 1240, height: 860 } },
];

const EMPTY = [
  ...['', '/monitors', '/incidents', '/maintenances', '/agents', '/api-keys', '/users'].map((path) => `/manage${path}`),
  '/',
];
const PUBLIC = [
  ...['/', '/payments', '/monitors/shop', '/monitors/payments?range=90d', `/monitors/payments/days/${today}`],
  ...['/incidents/1', '/maintenances/1', '/events', '/embed/monitor-payments', '/there-is-no-such-page'],
];
const VIEWS = [
  ...['', '/monitors', '/monitors/shop', '/monitors/~new', '/monitors/names/edit', '/monitors/site/edit'],
  ...['/incidents', '/incidents/1', '/incidents/new', '/maintenances', '/maintenances/1', '/maintenances/new'],
  ...['/pages', '/pages/1', '/agents', '/api-keys', '/users', '/roles', '/settings', '/account', '/nowhere'],
].map((path) => `/manage${path}`);
const DIALOGS = [
  ['/manage/monitors/shop', /^Delete/],
  ['/manage/monitors/shop', /^Clone/],
  ['/manage/maintenances/1', /^Move/],
  ['/manage/agents', /^Rename/],
  ['/manage/agents', /^Withdraw/],
  ['/manage/users', /^Edit/],
] as const;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ meetingPoint: MEETING_POINT });
  if (GALLERY !== undefined) await takeAll(join(GALLERY, 'empty'), EMPTY);
  await fillForPictures(desk.test);
}, 600_000);
afterAll(() => desk.leave());

it.each(PICTURES)('takes $name', async ({ name, then, path, ...looks }) => {
  await seen(looks, async (page) => {
    await visit(page, path);
    await then?.(page);
    await page.screenshot({ path: join(README, `${name}.png`) });
  });
});

it.runIf(GALLERY !== undefined)('takes all the rest', () => takeGallery(GALLERY ?? ''), 1_200_000);

async function takeGallery(folder: string): Promise<void> {
  await takeAll(join(folder, 'full'), [...PUBLIC, ...VIEWS]);
  for (const [path, button] of DIALOGS)
    for (const [size, viewport] of Object.entries(SIZES))
      await seen({ viewport, colorScheme: size === 'desk' ? 'light' : 'dark' }, async (page) => {
        await visit(page, path);
        await page.getByRole('button', { name: button }).and(page.locator(':enabled')).first().click();
        await page.getByRole('dialog').waitFor();
        await page.screenshot({
          path: join(folder, 'full', `${nameOf(path)}-dialog-${button.source.slice(1, 6)}-${size}.png`),
        });
      });
  await seen({ viewport: SIZES.desk }, async (page) => {
    await visit(page, '/');
    await page.pdf({ path: join(folder, 'printed.pdf'), format: 'A4' });
  });
}

async function takeAll(folder: string, paths: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [size, viewport] of Object.entries(SIZES))
    for (const colorScheme of COLOURS)
      await seen({ viewport, colorScheme }, async (page) => {
        for (const path of paths) {
          await visit(page, path);
          const file = `${nameOf(path)}-${size}-${colorScheme}.png`;
          await page.screenshot({ path: join(folder, file), fullPage: true });
        }
      });
}

function nameOf(path: string): string {
  return path.replaceAll(/\W+/g, '-').replace(/^-|-$/g, '') || 'home';
}

/** A window of its own, in which the owner has signed in. */
async function seen(looks: BrowserContextOptions, work: (page: Page) => Promise<void>): Promise<void> {
  const storageState = await desk.page.context().storageState();
  const { page, close } = await openPage(desk.browser, { ...looks, storageState });
  await work(page);
  await close();
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(desk.test.api.base + path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // The visitor's own zone comes with the second answer.
  await page.waitForLoadState('networkidle');
}

async function openToday(page: Page): Promise<void> {
  const bar = page.locator('#monitor-payments a.days');
  const { width = 0 } = (await bar.boundingBox()) ?? {};
  await bar.click({ position: { x: width - 3, y: 10 } });
  await page.getByRole('dialog').waitFor();
  await page.waitForLoadState('networkidle');
}

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLink } from '../../../db/one-time-links.ts';
import { startApi, type TestApi } from '../../support/api-server.ts';
import { openBrowser } from '../../support/browser.ts';
import { accessibilityFaults, openPage, SIZES, type WatchedPage } from '../../support/web-page.ts';

const PASSWORD = 'Correct horse 1';

let test: TestApi;
let browser: Browser;
/** One person at one desk: each test goes on where the one before it stopped, as people do. */
let desk: WatchedPage;
let page: Page;

beforeAll(async () => {
  [test, browser] = await Promise.all([startApi({ withPages: true }), openBrowser()]);
  desk = await openPage(browser, { viewport: SIZES.desk });
  page = desk.page;
  page.setDefaultTimeout(20_000);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await test.stop();
});

const go = (path: string) => page.goto(`${test.api.base}/manage${path}`);
const button = (name: string | RegExp) => page.getByRole('button', { name });
const main = () => page.locator('main').innerText();

async function rows(): Promise<string[]> {
  return page.locator('tbody tr').allInnerTexts();
}

it('makes the first owner by the set-up token, and says what is wrong with a weak password', async () => {
  const { token } = await createLink(test.database.pool, 'SETUP', null);
  await page.goto(`${test.api.base}/manage#${token}`);
  await page.getByRole('heading', { name: 'Set up Farwatch' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill('weakweakweak');
  await button('Create the owner').click();
  await page.getByText('with a digit, a lowercase and an uppercase letter').first().waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await button('Create the owner').click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}, 60_000);

it('lets nobody in with a wrong password, and the owner with the right one', async () => {
  await button('Sign out').click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill('Wrong horse 1');
  await button('Sign in').click();
  await page.getByRole('alert').getByText('Wrong email or password').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Password').fill(PASSWORD);
  await button('Sign in').click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}, 60_000);

it('says on every empty list what to do next', async () => {
  for (const [path, text] of [
    ['/monitors', 'Nothing is watched yet'],
    ['/incidents', 'No incidents'],
    ['/maintenances', 'No maintenances'],
    ['/agents', 'No agents yet'],
  ] as const) {
    await go(path);
    await page.getByRole('heading', { name: text }).waitFor();
    expect({ path, faults: await accessibilityFaults(page) }).toEqual({ path, faults: [] });
  }
}, 120_000);

it('makes a monitor by its form, with the fault beside the field that has it', async () => {
  await go('/monitors/new');
  await page.getByLabel('Name', { exact: true }).fill('The shop');
  await page.getByLabel('Tag').fill('The Shop!');
  await page.getByLabel('Kind').selectOption('IP4');
  await page.getByRole('textbox', { name: 'Host', exact: true }).fill('127.0.0.1');
  await button('Create monitor').click();
  await page.locator('.fault').getByText('Tag must be URL-friendly').waitFor();
  expect(await page.getByLabel('Tag').getAttribute('aria-invalid')).toBe('true');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Tag').fill('shop');
  await button('Create monitor').click();
  await page.getByRole('link', { name: 'The shop' }).waitFor();
  expect((await test.api.get('/api/v4/monitors/shop')).body).toMatchObject({
    monitor: {
      monitor_type: 'TCP',
      type_data: { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 443, timeout: 1000 }] },
    },
  });
}, 60_000);

it('keeps members of a type without a form that it does not know', async () => {
  await test.api.post('/api/v4/monitors', {
    ...{ tag: 'site', name: 'The site', monitor_type: 'API' },
    type_data: { url: 'http://127.0.0.1/', odd: { deep: [1] } },
  });
  await go('/monitors');
  await page.getByRole('link', { name: 'The site' }).click();
  await page.getByLabel('Description').fill('Changed');
  await button('Save changes').click();
  await page.getByRole('heading', { name: 'Monitors' }).waitFor();
  expect((await test.api.get('/api/v4/monitors/site')).body).toMatchObject({
    monitor: { description: 'Changed', type_data: { url: 'http://127.0.0.1/', odd: { deep: [1] } } },
  });
}, 60_000);

it('answers a test run clearly where no agent is', async () => {
  await go('/monitors');
  await page.getByRole('link', { name: 'The shop' }).click();
  await button('Run this check once').click();
  await page
    .getByRole('alert')
    .getByText(/[Nn]o agent/)
    .waitFor({ timeout: 20_000 });
}, 60_000);

it('finds, pauses, hides, clones and deletes monitors', async () => {
  await go('/monitors');
  await page.getByLabel('Search').fill('shop');
  await expect.poll(async () => (await rows()).length).toBe(1);
  await page.getByLabel('The shop is active').click();
  await expect
    .poll(async () => (await test.api.get('/api/v4/monitors/shop')).body)
    .toMatchObject({ monitor: { status: 'INACTIVE' } });
  await button('Clone The shop').click();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('dialog').getByLabel('Tag').fill('shop-2');
  await page.getByRole('dialog').getByRole('button', { name: 'Clone' }).click();
  await page.getByRole('heading', { name: 'The shop (copy)' }).waitFor();
  await go('/monitors');
  await button('Delete The shop (copy)').click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.innerText()).toContain('cannot be undone');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect((await test.api.get('/api/v4/monitors/shop-2')).status).toBe(200);
  await button('Delete The shop (copy)').click();
  await dialog.getByRole('button', { name: 'Delete monitor' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await test.api.get('/api/v4/monitors/shop-2')).status).toBe(404);
}, 120_000);

it('reports an incident, tells its story and resolves it', async () => {
  await go('/incidents/new');
  await page.getByLabel('Title').fill('The shop is closed');
  await page.getByRole('combobox', { name: /^Monitor/ }).selectOption('shop');
  await button('Add').click();
  await button('Report it').click();
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  await page.getByLabel('What visitors should know').fill('It is open again.');
  await page.getByLabel('State').selectOption('RESOLVED');
  await button('Post update').click();
  await page.locator('.timeline').getByText('It is open again.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const { body } = await test.api.get('/api/v4/incidents');
  expect(body).toMatchObject({
    incidents: [
      {
        title: 'The shop is closed',
        state: 'RESOLVED',
        incident_source: 'MANUAL',
        monitors: [{ monitor_tag: 'shop' }],
      },
    ],
  });
}, 60_000);

it('plans a maintenance by choices, and shows its next windows before it is saved', async () => {
  await go('/maintenances/new');
  await page.getByLabel('Title').fill('New certificates');
  await page.getByLabel('How often').selectOption('WEEKLY');
  await page.getByLabel('Sunday').check();
  await page
    .getByLabel('Next windows')
    .getByText(/Sunday/)
    .first()
    .waitFor();
  await expect.poll(() => page.getByLabel('Next windows').locator('li').count()).toBe(5);
  expect(await accessibilityFaults(page)).toEqual([]);
  await button('Plan it').click();
  await page.getByRole('heading', { name: 'Windows', exact: true }).waitFor();
  await button(/^Cancel the window/)
    .or(button(/^Cancel/))
    .first()
    .click();
  await expect.poll(async () => (await rows())[0]).toContain('CANCELLED');
  expect((await test.api.get('/api/v4/maintenances')).body).toMatchObject({
    maintenances: [{ title: 'New certificates', rrule: 'FREQ=WEEKLY;BYDAY=SU', timezone: 'Europe/Berlin' }],
  });
}, 60_000);

it('makes a page and puts its monitors in an order', async () => {
  await go('/pages/new');
  await page.getByLabel('Title').fill('Europe');
  await page.getByLabel('Address').fill('eu');
  await page.getByLabel('Heading', { exact: true }).fill('In Europe');
  for (const tag of ['shop', 'site']) {
    await page.getByRole('combobox', { name: /^Monitor/ }).selectOption(tag);
    await button('Add').click();
  }
  await button('Up The site').click();
  expect(await accessibilityFaults(page)).toEqual([]);
  await button('Create page').click();
  await page.getByRole('link', { name: 'Europe' }).waitFor();
  expect((await test.api.get('/api/v4/pages/eu')).body).toMatchObject({
    page: { monitors: [{ monitor_tag: 'site' }, { monitor_tag: 'shop' }] },
  });
}, 60_000);

it('shows a key once, masks it, switches it off and deletes it', async () => {
  await go('/api-keys');
  await page.getByLabel('Name', { exact: true }).fill('CI');
  await button('Create key').click();
  const key = await page.locator('.secret').innerText();
  expect(key).toMatch(/^farwatch_[0-9a-f]{64}$/);
  expect(await accessibilityFaults(page)).toEqual([]);
  const call = async () =>
    (await fetch(`${test.api.base}/api/v4/monitors`, { headers: { Authorization: `Bearer ${key}` } })).status;
  expect(await call()).toBe(200);
  await go('/api-keys');
  expect(await main()).not.toContain(key);
  expect((await rows()).find((row) => row.startsWith('CI'))).toContain(`${'*'.repeat(28)}${key.slice(-4)}`);
  await page.getByLabel('CI is active').click();
  await expect.poll(call).toBe(401);
  await button('Delete CI').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click();
  await expect.poll(async () => (await rows()).some((row) => row.startsWith('CI'))).toBe(false);
}, 60_000);

it('invites a user by a link, who sees what his role permits and no more', async () => {
  await go('/users');
  await page.getByLabel('Name', { exact: true }).fill('Bob');
  await page.getByLabel('Email').fill('bob@example.com');
  await page.getByLabel('Role').selectOption('member');
  await button('Invite').click();
  const link = await page.locator('.secret').innerText();
  const other = await openPage(browser, { viewport: SIZES.phone });
  await other.page.goto(link);
  await other.page.getByLabel('Password').fill(PASSWORD);
  await other.page.getByRole('button', { name: 'Save and sign in' }).click();
  await other.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await other.page.goto(`${test.api.base}/manage/api-keys`);
  const remove = other.page.getByRole('button', { name: /^Delete/ }).first();
  await remove.waitFor();
  expect(await remove.isDisabled()).toBe(true);
  expect(await other.page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
  expect(await accessibilityFaults(other.page)).toEqual([]);
  await other.close();
}, 60_000);

it('can be used by everybody, light and dark, at a desk and on a phone', async () => {
  const paths = ['', '/monitors', '/monitors/1', '/incidents/1', '/maintenances/1', '/pages', '/pages/1'];
  for (const viewport of Object.values(SIZES))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      for (const path of [...paths, '/agents', '/api-keys', '/users', '/roles', '/settings', '/account']) {
        await go(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        expect({ path, faults: await accessibilityFaults(page) }).toEqual({ path, faults: [] });
      }
    }
}, 300_000);

it('asked nobody but its own host, and was silent but for what the server refused', () => {
  expect(desk.asked.filter((url) => !url.startsWith('data:') && new URL(url).origin !== test.api.base)).toEqual([]);
  expect(desk.said.filter((line) => !/status of (400|401|503)|^verbose/.test(line))).toEqual([]);
});

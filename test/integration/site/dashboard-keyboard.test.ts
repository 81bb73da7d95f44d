import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDesk, OWNER, soon, type Desk } from '../../support/dashboard-desk.ts';
import { addOwner, PASSWORD } from '../../support/people.ts';

const MEETING_POINT = { collector: '127.0.0.1:4000', fingerprint: 'ab'.repeat(32) };
/** More steps than any view has. */
const MOST_STEPS = 120;

let desk: Desk;
let page: Page;
beforeAll(async () => {
  desk = await openDesk({ isEmpty: true, meetingPoint: MEETING_POINT });
  ({ page } = desk);
  await addOwner(desk.test.database.pool, OWNER);
}, 180_000);
afterAll(() => desk.leave());

/** Walks on with the Tab key until the control has the focus, which has to be seen. */
async function reach(control: Locator): Promise<void> {
  await control.waitFor();
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) {
      const outline = await control.evaluate((element) => getComputedStyle(element).outlineStyle);
      expect({ control: String(control), outline }).not.toMatchObject({ outline: 'none' });
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`no key leads to ${String(control)}`);
}

async function type(label: string, text: string): Promise<void> {
  await reach(page.getByLabel(label, { exact: true }).first());
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

async function press(role: 'button' | 'link', name: string | RegExp): Promise<void> {
  await reach(page.getByRole(role, { name }).first());
  await page.keyboard.press('Enter');
}

it('signs in, and leaps over the ways to what a view is about', async () => {
  await desk.go('');
  await type('Email', OWNER);
  await type('Password', PASSWORD);
  await page.keyboard.press('Enter');
  await desk.headed('Overview');
  await page.reload();
  await desk.headed('Overview');
  await press('link', 'Skip to content');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
}, 60_000);

it('makes a monitor', async () => {
  await desk.go('');
  await press('link', 'Monitors');
  await desk.headed('Monitors');
  // A new view has the focus itself: the next step is its first control.
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  await press('link', 'New monitor');
  await desk.headed('New monitor');
  await type('Name', 'The shop');
  await type('Tag', 'shop');
  await type('Host', 'localhost');
  await type('Port', '8080');
  await page.keyboard.press('Enter');
  await desk.headed('The shop');
  expect((await desk.test.api.get('/api/v4/monitors/shop')).body).toMatchObject({
    monitor: { type_data: { hosts: [{ host: 'localhost', port: 8080 }] } },
  });
}, 60_000);

it('pauses it with the space bar', async () => {
  await reach(page.getByLabel('The shop is active'));
  await page.keyboard.press('Space');
  await soon(async () => (await desk.test.api.get('/api/v4/monitors/shop')).body).toMatchObject({
    monitor: { status: 'INACTIVE' },
  });
}, 60_000);

it('opens an incident over it', async () => {
  await desk.go('/incidents');
  await press('link', 'Report an incident');
  await type('Title', 'The shop is closed');
  await type('Monitor', 'shop');
  await page.keyboard.press('Enter');
  await page.getByLabel('Impact on The shop').waitFor();
  await press('button', 'Report it');
  await desk.headed('The shop is closed');
  expect((await desk.test.api.get('/api/v4/incidents/1')).body).toMatchObject({
    incident: { title: 'The shop is closed', monitors: [{ monitor_tag: 'shop', impact: 'DOWN' }] },
  });
}, 60_000);

it('invites an agent', async () => {
  await desk.go('/agents');
  await type('Region', 'eu');
  await page.keyboard.press('Enter');
  await page.locator('.secret').getByText('enrol fwi_').waitFor();
  // What is shown once is where the focus is.
  expect(await page.evaluate(() => document.activeElement?.querySelector('.secret') !== null)).toBe(true);
  await press('button', 'I have kept it');
  await page.locator('.secret').waitFor({ state: 'detached' });
}, 60_000);

it('deletes the monitor after a question that holds the focus, and can be left by Escape', async () => {
  await desk.go('/monitors');
  const remove = page.getByRole('button', { name: 'Delete The shop' });
  await reach(remove);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  for (let step = 0; step < 6; step += 1) {
    const isInside = await page.evaluate(
      () => document.activeElement?.closest('dialog') !== null || document.activeElement === document.body,
    );
    expect(isInside).toBe(true);
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Escape');
  // By its element: by its role it is away as soon as it is closed, a moment before the view knows.
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(await remove.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await press('button', 'Cancel');
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(await remove.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await press('button', 'Delete monitor');
  await page.getByRole('heading', { name: 'Nothing is watched yet' }).waitFor();
  expect((await desk.test.api.get('/api/v4/monitors/shop')).status).toBe(404);
}, 60_000);

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLink } from '../../../db/one-time-links.ts';
import { openDesk, soon, type Desk } from '../../support/dashboard-desk.ts';
import { addRegion, resultOf, storeResults } from '../../support/monitoring-fixture.ts';

const PASSWORD = 'Correct horse 1';
const NOW = Math.floor(Date.now() / 60_000) * 60;

/** One person at one desk: each test goes on where the one before it stopped, as people do. */
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ isEmpty: true });
}, 180_000);
afterAll(() => desk.leave());

/** The rows of the view's table. */
const rows = () => desk.page.locator('.data-table tbody tr').allInnerTexts();

it('makes the first owner by the set-up token, and says what is wrong with a weak password', async () => {
  const { token } = await createLink(desk.test.database.pool, 'SETUP', null);
  await desk.page.goto(`${desk.test.api.base}/manage#${token}`);
  await desk.headed('Set up Farwatch');
  await desk.page.getByLabel('Name').fill('Ada');
  await desk.page.getByLabel('Email').fill('ada@example.com');
  await desk.page.getByLabel('Password').fill('weakweakweak');
  await desk.button('Create the owner').click();
  await desk.page.locator('.fault').getByText('with a digit, a lowercase and an uppercase letter').waitFor();
  await desk.page.getByLabel('Password').fill(PASSWORD);
  await desk.button('Create the owner').click();
  await desk.headed('Overview');
}, 60_000);

it('lets nobody in with a wrong password, and the owner with the right one, by a cookie no script can read', async () => {
  await desk.button('Sign out').click();
  await desk.headed('Sign in');
  await desk.page.getByLabel('Email').fill('ada@example.com');
  await desk.page.getByLabel('Password').fill('Wrong horse 1');
  await desk.button('Sign in').click();
  await desk.page.getByRole('alert').getByText('Wrong email or password').waitFor();
  await desk.page.getByLabel('Password').fill(PASSWORD);
  await desk.button('Sign in').click();
  await desk.headed('Overview');
  const cookies = (await desk.page.context().cookies()).filter(({ name }) => !name.endsWith('zone'));
  expect(cookies.length).toBeGreaterThan(0);
  for (const { name, httpOnly, sameSite } of cookies)
    expect({ name, httpOnly, sameSite }).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
  expect(await desk.page.evaluate(() => document.cookie)).not.toContain('session');
}, 60_000);

it('makes a monitor by its form, with the fault beside the field that has it, within the check too', async () => {
  await desk.go('/monitors/~new');
  await desk.page.getByLabel('Name', { exact: true }).fill('The shop');
  await desk.page.getByLabel('Tag').fill('The Shop!');
  await desk.page.getByLabel('Degraded counts as downtime').selectOption('YES');
  await desk.page.getByLabel('Kind').selectOption('IP4');
  await desk.page.getByRole('textbox', { name: 'Host', exact: true }).fill('nowhere');
  await desk.button('Create monitor').click();
  await desk.page.locator('.fault').getByText('Tag must be URL-friendly').waitFor();
  expect(
    await desk.page.getByLabel('Tag').evaluate((field) => [field.ariaInvalid, field === document.activeElement]),
  ).toEqual(['true', true]);
  await desk.page.getByLabel('Tag').fill('shop');
  await desk.button('Create monitor').click();
  await desk.page.locator('.host-row .fault').getByText('IP4').waitFor();
  await desk.page.getByRole('textbox', { name: 'Host', exact: true }).fill('127.0.0.1');
  await desk.button('Create monitor').click();
  await desk.headed('The shop');
  expect(await desk.read('/monitors/shop')).toMatchObject({
    monitor: {
      monitor_type: 'TCP',
      include_degraded_in_downtime: 'YES',
      type_data: { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 443 }] },
    },
  });
}, 60_000);

it('changes of a monitor only what its form was told to change', async () => {
  const before = await desk.read('/monitors/shop');
  await desk.page.getByRole('link', { name: 'Edit' }).click();
  await desk.page.getByLabel('Description').fill('What customers see');
  await desk.button('Save changes').click();
  await desk.headed('The shop');
  const [was, is] = [before, await desk.read('/monitors/shop')].map((body) => (body as { monitor: object }).monitor);
  expect({ ...is, updated_at: '' }).toEqual({ ...was, description: 'What customers see', updated_at: '' });
}, 60_000);

it('keeps members of a type without a form that it does not know, and saves no text that is no JSON', async () => {
  await desk.test.api.post('/api/v4/monitors', {
    ...{ tag: 'site', name: 'The site', monitor_type: 'API' },
    type_data: { url: 'http://127.0.0.1/', odd: { deep: [1] } },
  });
  await desk.go('/monitors/site/edit');
  const json = desk.page.getByLabel('Configuration of API');
  const text = await json.inputValue();
  await json.fill(`${text} and more`);
  await desk.button('Save changes').click();
  await desk.page.getByText('This is no JSON object yet.').waitFor();
  await json.fill(text.replace('[', '[2,'));
  await desk.button('Save changes').click();
  await desk.headed('The site');
  expect(await desk.read('/monitors/site')).toMatchObject({
    monitor: { type_data: { url: 'http://127.0.0.1/', odd: { deep: [2, 1] } } },
  });
}, 60_000);

it('shows what each region measured, minute by minute, and writes a range by hand', async () => {
  const { pool } = desk.test.database;
  const { rows: found } = await pool.query<{ id: number }>(`select id from monitors where tag = 'shop'`);
  const regions = [await addRegion(pool, 'eu'), await addRegion(pool, 'us')];
  const minutes = Array.from({ length: 60 }, (_, at) => NOW - (at + 1) * 60);
  await storeResults(
    pool,
    minutes.flatMap((minute) =>
      regions.map((region) => resultOf({ monitorId: found[0]?.id ?? NaN, minute, ...region })),
    ),
  );
  await desk.go('/monitors/shop');
  await desk.page.getByLabel('Status by region').getByRole('row', { name: /^eu/ }).waitFor();
  expect(await desk.page.getByLabel('Status by region').getByRole('row').count()).toBe(4);
  await desk.page.locator('.chart canvas').waitFor();
  await desk.page.getByText('Write a range by hand').click();
  await desk.page.getByLabel('Status', { exact: true }).last().selectOption('DOWN');
  await desk.button('Write every minute of it').click();
  await desk.page.getByText('60 minutes written.').waitFor();
  await desk.page.getByLabel('Status', { exact: true }).first().selectOption('DOWN');
  await soon(async () => (await rows()).filter((row) => /Down.*Written by hand/s.test(row)).length).toBe(20);
  expect(await desk.read(`/monitors/shop/data?start_ts=${NOW - 3600}&end_ts=${NOW}`)).toMatchObject({
    data: { length: 60 },
  });
}, 60_000);

it('shows how far the writing of a long range is, and deletes it after asking', async () => {
  await desk.page.getByLabel('From').fill('2026-01-01T00:00');
  await desk.page.getByLabel('Until').fill('2026-02-01T00:00');
  const progress: string[] = [];
  desk.page.on('request', (request) => {
    if (request.postData()?.includes('updateMonitoringData')) progress.push(request.postData() ?? '');
  });
  await desk.button('Write every minute of it').click();
  await desk.page.getByText('44640 minutes written.').waitFor();
  expect(progress.length).toBe(5);
  await desk.button('Delete these minutes').click();
  await desk.dialog().getByText('31 d from').waitFor();
  await desk.dialog().getByRole('button', { name: 'Delete minutes' }).click();
  await desk.dialog().waitFor({ state: 'detached' });
  const january = Date.parse('2026-01-01T00:00+01:00') / 1000;
  expect(await desk.read(`/monitors/shop/data?start_ts=${january}&end_ts=${january + 31 * 86_400}`)).toEqual({
    data: [],
  });
}, 120_000);

it('finds, pauses, hides, clones and deletes monitors', async () => {
  await desk.go('/monitors');
  await desk.page.getByLabel('Search').fill('shop');
  await soon(async () => (await rows()).length).toBe(1);
  expect(desk.page.url()).toContain('search=shop');
  await desk.page.getByLabel('The shop is active').click();
  await soon(() => desk.read('/monitors/shop')).toMatchObject({ monitor: { status: 'INACTIVE' } });
  await desk.page.getByLabel('The shop is public').click();
  await soon(() => desk.read('/monitors/shop')).toMatchObject({ monitor: { is_hidden: 'YES' } });
  await desk.button('Clone The shop').click();
  await desk.dialog().getByLabel('Tag').fill('shop-2');
  await desk.dialog().getByRole('button', { name: 'Clone' }).click();
  await desk.headed('The shop (copy)');
  await desk.go('/monitors');
  await desk.button('Delete The shop (copy)').click();
  expect(await desk.dialog().innerText()).toContain('cannot be undone');
  await desk.page.keyboard.press('Escape');
  await desk.dialog().waitFor({ state: 'detached' });
  expect((await desk.test.api.get('/api/v4/monitors/shop-2')).status).toBe(200);
  await desk.button('Delete The shop (copy)').click();
  await desk.dialog().getByRole('button', { name: 'Delete monitor' }).click();
  await desk.dialog().waitFor({ state: 'detached' });
  expect((await desk.test.api.get('/api/v4/monitors/shop-2')).status).toBe(404);
}, 120_000);

it('was silent on the console but for what the server refused, and asked nobody but its own host', () => {
  expect(desk.faults()).toEqual([]);
});

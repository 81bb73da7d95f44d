import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDesk, OWNER, soon, type Desk } from '../../support/dashboard-desk.ts';
import { fillDashboard } from '../../support/dashboard-scene.ts';
import { addRegion } from '../../support/monitoring-fixture.ts';
import { addUser, PASSWORD } from '../../support/people.ts';
import { accessibilityFaults, openPage, SIZES } from '../../support/web-page.ts';

const EMPTY = ['', '/monitors', '/incidents', '/maintenances', '/agents', '/pages/new'];
const FULL = [
  ...['', '/monitors', '/monitors/shop', '/monitors/~new', '/monitors/shop/edit', '/monitors/names/edit'],
  ...['/monitors/site/edit', '/incidents', '/incidents/1', '/incidents/new', '/maintenances', '/maintenances/1'],
  ...['/maintenances/new', '/pages', '/pages/1', '/agents', '/api-keys', '/users', '/roles', '/settings', '/account'],
  '/nowhere',
];
/** A view, and the button that opens its dialog. */
const DIALOGS = [
  ['/monitors/shop', /^Delete/],
  ['/monitors/shop', /^Clone/],
  ['/maintenances/1', /^Move/],
  ['/agents', /^Rename/],
  ['/agents', /^Withdraw/],
  ['/users', /^Edit/],
] as const;
const MEETING_POINT = { collector: '127.0.0.1:4000', fingerprint: 'ab'.repeat(32) };

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ meetingPoint: MEETING_POINT });
}, 180_000);
afterAll(() => desk.leave());

/** Light and dark, at a desk and on a phone. */
async function expectUsable(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await desk.go(path);
    await settled();
    for (const viewport of Object.values(SIZES))
      for (const colorScheme of ['light', 'dark'] as const) {
        await desk.page.setViewportSize(viewport);
        await desk.page.emulateMedia({ colorScheme });
        const faults = await accessibilityFaults(desk.page);
        const overflow = await desk.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect({ path, faults, overflow: Math.max(0, overflow) }).toEqual({ path, faults: [], overflow: 0 });
      }
  }
  await desk.page.setViewportSize(SIZES.desk);
}

/** How far the dialog is from the middle of the window, a pixel or two aside. */
function offTheMiddle(): Promise<number> {
  return desk.dialog().evaluate((dialog) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    return Math.round(Math.max(Math.abs(left + right - clientWidth), Math.abs(top + bottom - clientHeight)) / 4);
  });
}

async function settled(): Promise<void> {
  await desk.page.getByRole('heading', { level: 1 }).waitFor();
  await desk.page.waitForLoadState('networkidle');
}

describe('while there is nothing', () => {
  it('says on every list what to do next, to everybody', async () => {
    await desk.go('');
    await desk.page.getByRole('link', { name: 'Make the first monitor' }).waitFor();
    await desk.page.getByRole('link', { name: 'Invite the first agent' }).waitFor();
    await desk.go('/incidents');
    await desk.page.getByRole('link', { name: 'Report the first one' }).waitFor();
    await desk.go('/maintenances');
    await desk.page.getByRole('link', { name: 'Plan the first one' }).waitFor();
    await expectUsable(EMPTY);
  }, 240_000);
});

it('invites an agent by a command that is shown once, takes that back, names and revokes another', async () => {
  await desk.go('/agents');
  await desk.page.getByLabel('Region').fill('eu');
  await desk.page.getByLabel('Name').fill('cellar');
  await desk.button('Invite').click();
  const command = await desk.page.locator('.secret').innerText();
  expect(command).toMatch(/^FARWATCH_STATE_DIR=\S+ node dist\/agent\/main\.js enrol fwi_/);
  const invited = desk.page.getByLabel('Invitations').getByRole('row', { name: /^cellar eu/ });
  await invited.waitFor();
  await desk.button('Withdraw cellar').click();
  await desk.dialog().getByRole('button', { name: 'Withdraw invitation' }).click();
  await invited.waitFor({ state: 'detached' });
  const { rows } = await desk.test.database.pool.query('select from agent_invitations');
  expect(rows).toEqual([]);
  await addRegion(desk.test.database.pool, 'attic');
  await desk.page.reload();
  await desk.button('Rename attic-1').click();
  await desk.dialog().getByLabel('New name').fill('loft');
  await desk.dialog().getByRole('button', { name: 'Rename' }).click();
  await desk.button('Revoke loft').click();
  await desk.dialog().getByRole('button', { name: 'Revoke agent' }).click();
  await desk.page.getByRole('region', { name: 'loft' }).getByText('Revoked').waitFor();
  expect(await desk.page.locator('main').innerText()).not.toContain(command);
}, 60_000);

it('shows a key once, masks it, switches it off and deletes it', async () => {
  await desk.go('/api-keys');
  await desk.page.getByLabel('Name', { exact: true }).fill('CI');
  await desk.button('Create key').click();
  const key = await desk.page.locator('.secret').innerText();
  expect(key).toMatch(/^farwatch_[0-9a-f]{64}$/);
  const call = async () =>
    (await fetch(`${desk.test.api.base}/api/v4/monitors`, { headers: { Authorization: `Bearer ${key}` } })).status;
  expect(await call()).toBe(200);
  await desk.page.reload();
  const row = desk.page.getByRole('row', { name: /^CI/ });
  expect(await row.locator('code').innerText()).toBe(`${'*'.repeat(28)}${key.slice(-4)}`);
  await desk.page.getByLabel('CI is active').click();
  await soon(call).toBe(401);
  await desk.button('Delete CI').click();
  await desk.dialog().getByRole('button', { name: 'Delete key' }).click();
  await row.waitFor({ state: 'detached' });
}, 60_000);

it('makes a role, says what it permits, and gives it to a user', async () => {
  const { pool } = desk.test.database;
  await addUser(pool, 'grace@example.com', 'member');
  await desk.go('/roles');
  await desk.page.getByLabel('Id').fill('night');
  await desk.page.getByLabel('Name', { exact: true }).fill('Night shift');
  await desk.button('Create role').click();
  const role = desk.page.getByRole('region', { name: 'Night shift' });
  await role.getByText('0 of 28 permissions').click();
  await role.getByLabel('incidents.write').check();
  await role.getByText('1 of 28 permissions').waitFor();
  await desk.button('Edit the role Night shift').click();
  await desk.dialog().getByLabel('Description').fill('While others sleep');
  await desk.dialog().getByRole('button', { name: 'Save' }).click();
  await role.getByText('While others sleep').waitFor();
  await desk.go('/users');
  await desk.button('Edit grace@example.com').click();
  await desk.dialog().getByLabel('Night shift').check();
  await desk.dialog().getByLabel('Member').uncheck();
  await desk.button('Close').click();
  await desk.page
    .getByRole('row', { name: /^grace/ })
    .getByText('Night shift', { exact: true })
    .waitFor();
  await desk.go('/roles');
  await role.getByText('1 user').click();
  await role.getByText('grace@example.com').first().waitFor();
  const { rows } = await pool.query(
    `select role_id from user_roles join users on users.id = user_id where email like 'grace%'`,
  );
  expect(rows).toEqual([{ role_id: 'night' }]);
}, 60_000);

it('invites a user by a link, who sees what his role permits and why not more', async () => {
  await desk.go('/users');
  await desk.page.getByLabel('Name', { exact: true }).fill('Bob');
  await desk.page.getByLabel('Email').fill('bob@example.com');
  expect(await desk.page.getByLabel('Role').inputValue()).toBe('member');
  await desk.button('Invite').click();
  const link = await desk.page.locator('.secret').innerText();
  const other = await openPage(desk.browser, { viewport: SIZES.phone });
  const { page: his } = other;
  await his.goto(link);
  await his.getByLabel('Password').fill(PASSWORD);
  await desk.button('Save and sign in', his).click();
  await his.getByRole('heading', { name: 'Overview' }).waitFor();
  await desk.go('/api-keys', his);
  const remove = desk.button(/^Delete/, his).first();
  expect(await remove.isDisabled()).toBe(true);
  expect(await remove.getAttribute('title')).toContain('api_keys.delete');
  expect(await desk.button('Create key', his).count()).toBe(0);
  expect(await accessibilityFaults(his)).toEqual([]);
  for (const [path, verb] of [
    ['/monitors', 'New monitor'],
    ['/pages', 'New page'],
    ['/incidents', 'Report an incident'],
  ] as const) {
    await desk.go(path, his);
    await his.getByRole('heading', { level: 1 }).waitFor();
    expect(await his.getByRole('link', { name: verb }).count()).toBe(0);
  }
  expect(other.said.filter((line) => !line.startsWith('verbose'))).toEqual([]);
  await other.close();
}, 60_000);

it('changes the site’s settings, and one’s own name', async () => {
  await desk.go('/settings');
  await desk.page.getByLabel('Colours').selectOption('dark');
  await desk.page.getByLabel('Time zone').fill('Nowhere/At all');
  await desk.button('Save settings').click();
  await desk.page.locator('.fault').getByText('timezone must be the name of a time zone').waitFor();
  await desk.page.getByLabel('Time zone').fill('Europe/Paris');
  await desk.button('Save settings').click();
  await desk.page.getByText('Saved.').waitFor();
  await desk.page.reload();
  await soon(() => desk.page.getByLabel('Colours').inputValue()).toBe('dark');
  expect(await desk.page.getByLabel('Time zone').inputValue()).toBe('Europe/Paris');
  await desk.go('/account');
  await desk.page.getByLabel('Name').fill('Ada L.');
  await desk.button('Save').first().click();
  await desk.page.getByRole('link', { name: 'Ada L.' }).waitFor();
}, 60_000);

it('ends another session of one’s own, whose view waits for its person to sign in again', async () => {
  const other = await openPage(desk.browser);
  await desk.go('', other.page);
  await desk.signIn(OWNER, other.page);
  await desk.headed('Overview', other.page);
  await desk.go('/incidents/new', other.page);
  await other.page.getByLabel('Title').fill('Half written');
  await desk.go('/account');
  await desk.button(/^End/).click();
  await desk.dialog().getByRole('button', { name: 'End session' }).click();
  await soon(() => desk.button(/^End/).count()).toBe(0);
  await desk.button('Report it', other.page).click();
  await other.page.getByRole('heading', { name: 'Sign in again' }).waitFor();
  await desk.signIn(OWNER, other.page);
  await other.page.locator('dialog').waitFor({ state: 'detached' });
  await desk.button('Report it', other.page).click();
  await other.page.getByRole('heading', { name: 'Half written' }).waitFor();
  await other.close();
}, 60_000);

it('does nothing for another site that has the browser ask', async () => {
  const foreign = await desk.page.context().newPage();
  // Another name is another site, and its page sends what a form may send.
  await foreign.goto(`${desk.test.api.base.replace('127.0.0.1', 'localhost')}/`);
  const status = await foreign.evaluate(async (target) => {
    const body = JSON.stringify({ action: 'createNewApiKey', data: { name: 'stolen' } });
    const options = { method: 'POST', credentials: 'include', mode: 'no-cors', body } as const;
    return fetch(target, options).then(
      (answer) => answer.type,
      () => 'failed',
    );
  }, `${desk.test.api.base}/manage/api`);
  expect(['opaque', 'failed']).toContain(status);
  const { rows } = await desk.test.database.pool.query(`select from api_keys where name = 'stolen'`);
  expect(rows).toEqual([]);
  await foreign.close();
}, 60_000);

describe('in full use', () => {
  it('can be used by everybody, light and dark, at a desk and on a phone', async () => {
    await fillDashboard(desk.test.api, desk.test.database.pool);
    await expectUsable(FULL);
  }, 600_000);

  it('can be used by everybody with a dialog open', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await desk.page.emulateMedia({ colorScheme });
      for (const [path, name] of DIALOGS) {
        await desk.go(path);
        await settled();
        await desk.button(name).and(desk.page.locator(':enabled')).first().click();
        await desk.dialog().waitFor();
        expect({ path, faults: await accessibilityFaults(desk.page) }).toEqual({ path, faults: [] });
        expect({ path, off: await offTheMiddle() }).toEqual({ path, off: 0 });
      }
    }
  }, 120_000);

  it('finds monitors by how they are, from the overview too', async () => {
    await desk.go('');
    await desk.page.getByRole('link', { name: /^Down/ }).click();
    await desk.headed('Monitors');
    const now = desk.page.getByLabel('Now', { exact: true });
    await soon(() => now.inputValue()).toBe('DOWN');
    const names = () => desk.page.locator('.data-table tbody th a').allInnerTexts();
    await soon(names).toEqual(['Payments']);
    await now.selectOption('DEGRADED');
    await soon(names).toEqual(['Mail']);
    expect(desk.page.url()).toContain('current=DEGRADED');
    await now.selectOption('NO_DATA');
    await desk.button('Show all monitors').click();
    await desk.page.getByText('7 monitors').waitFor();
    expect(await now.inputValue()).toBe('');
  }, 60_000);

  it('stays quick with a thousand monitors more', async () => {
    await desk.test.database.pool.query(
      `insert into monitors (tag, name, status, monitor_type, include_degraded_in_downtime, is_hidden)
       select 'm-' || n, 'Monitor ' || n, 'ACTIVE', 'TCP', 'NO', 'NO' from generate_series(1, 1000) n`,
    );
    await desk.go('/monitors');
    await desk.page.getByText('1007 monitors').waitFor();
    expect(await desk.page.locator('.data-table tbody tr').count()).toBe(50);
    await desk.page.getByLabel('Search').fill('m-77');
    await desk.page.getByText('11 monitors').waitFor();
  }, 60_000);
});

it('was silent on the console but for what the server refused, and asked nobody but its own host', () => {
  expect(desk.faults()).toEqual([]);
});

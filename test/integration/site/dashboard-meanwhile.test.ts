import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDesk, soon, type Desk } from '../../support/dashboard-desk.ts';

/** What others do while a view stands open, and what does not come through. */
let desk: Desk;
/** The second half past two of that night in Berlin, where the browser is. */
const SECOND = Date.parse('2025-10-26T01:30Z') / 1000;

beforeAll(async () => {
  desk = await openDesk();
  for (const tag of ['shop', 'site'])
    await desk.test.api.post('/api/v4/monitors', { tag, name: `The ${tag}`, monitor_type: 'NONE' });
}, 180_000);
afterAll(() => desk.leave());

/** Changes a text of the form that is open, saves it, and waits until that is done. */
async function save(label: string, text: string): Promise<void> {
  await desk.page.getByLabel(label, { exact: true }).fill(text);
  const answered = desk.page.waitForResponse((response) => response.request().postData()?.includes(text) ?? false);
  await desk.button('Save changes').click();
  expect((await answered).status()).toBe(200);
}

it('writes of an incident only what was changed in its form', async () => {
  const { api } = desk.test;
  await api.post('/api/v4/incidents', {
    ...{ title: 'The shop is closd', start_date_time: SECOND },
    monitors: [{ monitor_tag: 'shop', impact: 'DOWN' }],
  });
  await desk.go('/incidents/1');
  await desk.headed('Change the incident');
  await api.patch('/api/v4/incidents/1', { monitors: [{ monitor_tag: 'site', impact: 'DEGRADED' }] });
  await api.post('/api/v4/incidents/1/comments', {
    state: 'RESOLVED',
    comment: 'It is open.',
    timestamp: SECOND + 600,
  });
  await save('Title', 'The shop is closed');
  expect(await desk.read('/incidents/1')).toMatchObject({
    incident: {
      ...{ title: 'The shop is closed', state: 'RESOLVED' },
      ...{ start_date_time: SECOND, end_date_time: SECOND + 600 },
      monitors: [{ monitor_tag: 'site', impact: 'DEGRADED' }],
    },
  });
}, 60_000);

it('reopens an incident whose end was taken out of its form', async () => {
  await soon(() => desk.page.getByLabel('Ended').inputValue()).toBe('2025-10-26T02:40');
  await desk.page.getByLabel('Ended').fill('');
  await save('Title', 'The shop is closed again');
  expect(await desk.read('/incidents/1')).toMatchObject({ incident: { start_date_time: SECOND, end_date_time: null } });
}, 60_000);

it('writes of a maintenance only what was changed in its form, and its start where its zone was', async () => {
  const { api } = desk.test;
  await api.post('/api/v4/maintenances', {
    ...{ title: 'New disk', start_date_time: SECOND, duration_seconds: 3600, rrule: 'FREQ=DAILY' },
    ...{ timezone: 'Europe/Berlin', monitors: [] },
  });
  await desk.go('/maintenances/1');
  await desk.headed('Change the plan');
  await api.patch('/api/v4/maintenances/1', { duration_seconds: 1800, rrule: 'FREQ=WEEKLY', status: 'INACTIVE' });
  await save('Title', 'New disks');
  const changed = { title: 'New disks', duration_seconds: 1800, rrule: 'FREQ=WEEKLY', status: 'INACTIVE' };
  expect(await desk.read('/maintenances/1')).toMatchObject({
    maintenance: { ...changed, start_date_time: SECOND, timezone: 'Europe/Berlin' },
  });
  await desk.headed('New disks');
  await save('Time zone', 'Asia/Tokyo');
  expect(await desk.read('/maintenances/1')).toMatchObject({
    maintenance: { ...changed, start_date_time: Date.parse('2025-10-26T02:30+09:00') / 1000, timezone: 'Asia/Tokyo' },
  });
}, 60_000);

it('writes of a monitor only what was changed in its form', async () => {
  await desk.go('/monitors/shop/edit');
  await desk.headed('Edit The shop');
  await desk.test.api.patch('/api/v4/monitors/shop', {
    ...{ category_name: 'Customers', monitor_type: 'TCP', confirmation_threshold: 3 },
    ...{ type_data: { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80 }] } },
    monitor_settings_json: { quorum: 'any' },
  });
  await save('Description', 'What customers see');
  expect(await desk.read('/monitors/shop')).toMatchObject({
    monitor: {
      ...{
        description: 'What customers see',
        category_name: 'Customers',
        monitor_type: 'TCP',
        confirmation_threshold: 3,
      },
      ...{ type_data: { hosts: [{ port: 80 }] }, monitor_settings_json: { quorum: 'any' } },
    },
  });
}, 60_000);

it('writes of a page only what was changed in its form', async () => {
  const { api } = desk.test;
  await api.post('/api/v4/pages', { page_path: 'eu', page_title: 'Europe', page_header: 'In Europe' });
  const { pages } = (await desk.read('/pages')) as { pages: { id: number; page_path: string }[] };
  await desk.go(`/pages/${pages.find(({ page_path: path }) => path === 'eu')?.id}`);
  await desk.headed('Europe');
  await api.patch('/api/v4/pages/eu', {
    ...{ page_title: 'The continent', monitors: ['site'] },
    page_settings: { monitor_layout_style: 'compact-grid' },
  });
  await save('Heading', 'All of Europe');
  expect(await desk.read('/pages/eu')).toMatchObject({
    page: {
      ...{ page_title: 'The continent', page_header: 'All of Europe', monitors: [{ monitor_tag: 'site' }] },
      page_settings: { monitor_layout_style: 'compact-grid' },
    },
  });
}, 60_000);

it('finds one monitor among many without reading them all', async () => {
  for (let number = 0; number < 30; number += 1)
    await desk.test.api.post('/api/v4/monitors', {
      tag: `host-${number}`,
      name: `A host ${number}`,
      monitor_type: 'NONE',
    });
  const answers: number[] = [];
  desk.page.on('response', (response) => {
    if (response.request().postData()?.includes('getMonitor'))
      void response.text().then((text) => answers.push(text.length));
  });
  await desk.go('/incidents/1');
  await desk.page.getByRole('definition').getByText('The site: degraded').waitFor();
  const box = desk.page.getByRole('combobox', { name: 'Monitor', exact: true });
  await box.fill('The shop');
  await box.press('Enter');
  await desk.page.getByLabel('Impact on The shop').waitFor();
  await soon(() => answers.length).toBeGreaterThanOrEqual(2);
  expect(Math.max(...answers)).toBeLessThan(1500);
}, 60_000);

it('says that it could not sign out, and stays', async () => {
  await desk.page.route('**/manage/auth/logout', (route) => route.abort());
  await desk.button('Sign out').click();
  await desk.page.getByRole('alert').getByText('The service cannot be reached').waitFor();
  await desk.page.unroute('**/manage/auth/logout');
  await desk.button('Sign out').click();
  await desk.headed('Sign in');
}, 60_000);

it('says that nothing is answered', async () => {
  // A hundred times as fast.
  await desk.page.addInitScript(() => {
    const wait = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (milliseconds) => wait(milliseconds / 100);
  });
  await desk.page.route('**/manage/auth/setup', () => undefined);
  await desk.go('');
  await desk.page.getByText('The service has not answered for a minute').waitFor();
  await desk.page.unroute('**/manage/auth/setup');
  await desk.button('Try again').click();
  await desk.headed('Sign in');
}, 60_000);

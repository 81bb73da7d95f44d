import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDesk, soon, type Desk } from '../../support/dashboard-desk.ts';

/** One person at one desk: each test goes on where the one before it stopped, as people do. */
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  for (const [tag, name] of [
    ['shop', 'The shop'],
    ['site', 'The site'],
  ])
    await desk.test.api.post('/api/v4/monitors', { tag, name, monitor_type: 'NONE' });
}, 180_000);
afterAll(() => desk.leave());

async function affect(tag: string): Promise<void> {
  await desk.page.getByRole('combobox', { name: 'Monitor', exact: true }).fill(tag);
  await desk.button('Add').click();
}

it('reports an incident, tells its story, corrects and resolves it', async () => {
  await desk.go('/incidents/new');
  await desk.page.getByLabel('Title').fill('The shop is closed');
  await affect('shop');
  await desk.button('Report it').click();
  await desk.headed('Timeline');
  for (const [text, state] of [
    ['Somebody looks.', 'IDENTIFIED'],
    ['It is opne again.', 'RESOLVED'],
  ] as const) {
    await desk.page.getByLabel('What visitors should know').fill(text);
    await desk.page.getByLabel('State').selectOption(state);
    await desk.button('Post update').click();
    await desk.page.locator('.timeline').getByText(text).waitFor();
  }
  await desk
    .button(/^Edit the update/)
    .first()
    .click();
  await desk.page.getByLabel('Text').fill('It is open again.');
  await desk.button('Save').first().click();
  await desk.page.locator('.timeline').getByText('It is open again.').waitFor();
  expect(await desk.page.getByLabel('State').inputValue()).toBe('RESOLVED');
  expect(await desk.read('/incidents')).toMatchObject({
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

it('plans a maintenance by choices, on the clocks of its zone, and shows its next windows before it is saved', async () => {
  await desk.go('/maintenances/new');
  await desk.page.getByLabel('Title').fill('New certificates');
  await desk.page.getByLabel('First window begins').fill('2027-01-03T02:30');
  await desk.page.getByLabel('Time zone').fill('Asia/Tokyo');
  await desk.page.getByLabel('How often').selectOption('MONTHLY');
  await desk.page.getByLabel('Day of the month').selectOption('1');
  await desk.page.getByLabel('Weekday').selectOption('SU');
  await desk.page.getByLabel('Ends', { exact: true }).selectOption('count');
  await desk.page.getByLabel('Windows', { exact: true }).fill('3');
  const windows = desk.page.getByLabel('Next windows');
  await windows.getByText('Every month on the 1st Sunday, 3 times').waitFor();
  expect(await windows.locator('li').allInnerTexts()).toEqual([
    expect.stringMatching(/^Sunday, January 3, 2027.*2:30.*3:30.*GMT\+9[^]*for you Saturday, January 2, 2027.*6:30/),
    expect.stringMatching(/^Sunday, February 7, 2027/),
    expect.stringMatching(/^Sunday, March 7, 2027/),
  ]);
  await desk.button('Plan it').click();
  await desk.headed('Windows');
  expect(await desk.read('/maintenances')).toMatchObject({
    maintenances: [
      {
        rrule: 'FREQ=MONTHLY;BYDAY=1SU;COUNT=3',
        timezone: 'Asia/Tokyo',
        start_date_time: Date.parse('2027-01-02T17:30Z') / 1000,
      },
    ],
  });
}, 60_000);

it('adds a single window, moves it, calls it off and deletes it', async () => {
  await desk.button('Add a window').click();
  await desk.dialog().getByLabel('Begins').fill('2027-05-01T10:00');
  await desk.dialog().getByLabel('Ends').fill('2027-05-01T09:00');
  await desk.dialog().getByRole('button', { name: 'Save' }).click();
  await desk.dialog().locator('.fault').getByText('end_date_time must be after').waitFor();
  await desk.dialog().getByLabel('Ends').fill('2027-05-01T11:00');
  await desk.dialog().getByRole('button', { name: 'Save' }).click();
  const added = desk.page.getByRole('row', { name: /May 1, 2027/ });
  await added.getByRole('button', { name: /^Move/ }).click();
  await desk.dialog().getByLabel('Ends').fill('2027-05-01T12:15');
  await desk.dialog().getByRole('button', { name: 'Save' }).click();
  await desk.page.getByRole('row', { name: /May 1, 2027.*12:15/ }).waitFor();
  await added.getByRole('button', { name: /^Cancel/ }).click();
  await desk.dialog().getByRole('button', { name: 'Call it off' }).click();
  await added.getByText('Cancelled').waitFor();
  await added.getByRole('button', { name: /^Delete/ }).click();
  await desk.dialog().getByRole('button', { name: 'Delete window' }).click();
  await added.waitFor({ state: 'detached' });
}, 60_000);

it('shows a page as it would be, orders its monitors, and saves nothing before it is told to', async () => {
  await desk.go('/pages/new');
  await desk.page.getByText('as soon as it has a title').waitFor();
  await desk.page.getByLabel('Title').fill('Europe');
  await desk.page.getByLabel('Address').fill('eu');
  await desk.page.getByLabel('Heading', { exact: true }).fill('In Europe');
  for (const tag of ['shop', 'site']) await affect(tag);
  await desk.button('Up The site').click();
  const preview = desk.page.frameLocator('iframe[title=Preview]');
  await preview.getByRole('heading', { name: 'In Europe' }).waitFor();
  await soon(() => preview.locator('.monitor h3').allTextContents()).toEqual(['The site', 'The shop']);
  expect((await desk.test.api.get('/api/v4/pages/eu')).status).toBe(404);
  await desk.button('Create page').click();
  await desk.headed('Europe');
  await desk.page.getByLabel('Heading', { exact: true }).fill('All of Europe');
  await preview.getByRole('heading', { name: 'All of Europe' }).waitFor();
  expect(await desk.read('/pages/eu')).toMatchObject({
    page: { page_header: 'In Europe', monitors: [{ monitor_tag: 'site' }, { monitor_tag: 'shop' }] },
  });
}, 60_000);

it('was silent on the console but for what the server refused, and asked nobody but its own host', () => {
  expect(desk.faults()).toEqual([]);
});

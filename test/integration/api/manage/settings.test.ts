import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_SITE_DATA } from '../../../../core/site-data.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { failureOf } from '../../../support/api-monitors.ts';

let running: TestApi;
beforeAll(async () => {
  running = await startApi();
});
afterAll(() => running.stop());

const act = (action: string, data: object = {}) => running.api.post('/manage/api', { action, data });

it('answers defaults until somebody says otherwise, and keeps what an update does not name', async () => {
  expect((await act('getAllSiteData')).body).toEqual(DEFAULT_SITE_DATA);
  const given = { siteName: ' Our status ', theme: 'dark', logo: '/assets/logo.svg' };
  const named = { ...DEFAULT_SITE_DATA, ...given, siteName: 'Our status' };
  expect((await act('storeSiteData', given)).body).toEqual(named);
  expect((await act('storeSiteData', { timezone: 'Europe/Berlin', logo: null })).body).toEqual({
    ...named,
    ...{ timezone: 'Europe/Berlin', logo: null },
  });
  expect((await act('storeSiteData', {})).status).toBe(200);
});

it('answers one setting by its key', async () => {
  expect((await act('getSiteDataByKey', { key: 'language' })).body).toEqual({
    ...{ key: 'language', value: 'en', data_type: 'string' },
  });
  expect(failureOf(await act('getSiteDataByKey', { key: 'secret' }))).toEqual([
    400,
    "Config key 'secret' is not a valid configuration key",
  ]);
});

it.each([
  [{ siteName: '' }, 'siteName must be a non-empty string of at most 255 characters'],
  [{ siteURL: 'javascript:alert(1)' }, 'siteURL must be an http or https URL, or null'],
  [{ logo: 'javascript:alert(1)' }, 'logo must be an http or https URL, a path that begins with one slash, or null'],
  [{ favicon: '//evil.example/x' }, 'favicon must be an http or https URL, a path that begins with one slash, or null'],
  [{ theme: 'pink' }, 'theme must be one of: system, light, dark'],
  [{ timezone: 'Mars/Olympus' }, 'timezone must be the name of a time zone'],
  [{ language: 'x' }, 'language must be a language tag'],
  [{ footer: 7 }, 'footer must be a string of at most 10000 characters, or null'],
])('refuses %j', async (data, message) => {
  const before = (await act('getAllSiteData')).body;
  expect(failureOf(await act('storeSiteData', { title: 'kept out', ...data }))).toEqual([400, message]);
  expect((await act('getAllSiteData')).body).toEqual(before);
});

it('refuses what is no setting', async () => {
  expect((await act('storeSiteData', { secret: 'x' })).status).toBe(400);
});

it('takes a stored setting that it would refuse for none', async () => {
  await running.database.pool.query(
    `insert into site_data (key, value) values ('theme', '"pink"'), ('gone', '1')
     on conflict (key) do update set value = excluded.value`,
  );
  expect((await act('getAllSiteData')).body).toMatchObject({ theme: 'system' });
});

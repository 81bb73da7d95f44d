import { afterAll, beforeAll, expect, it } from 'vitest';
import { newIncident } from '../../../core/incident.ts';
import { newPage } from '../../../core/page.ts';
import { createIncident } from '../../../api/services/write-incident.ts';
import { createPage } from '../../../api/services/write-page.ts';
import { newMonitor } from '../../../core/monitor.ts';
import { deleteMonitor, findMonitor, insertMonitor } from '../../../db/monitors.ts';
import { listPageIncidents } from '../../../db/page-incidents.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const DAY = 86_400;
const NOW = 100 * DAY;
const RESOLVED = { show: true, max_count: 5, days_in_past: 7 };

let database: TestDatabase;
let page: number;
beforeAll(async () => {
  database = await createTestDatabase();
  const monitors: object[] = [
    { tag: 'shown' },
    { tag: 'elsewhere' },
    { tag: 'hidden', is_hidden: 'YES' },
    { tag: 'paused', status: 'INACTIVE' },
    { tag: 'gone' },
  ];
  for (const fields of monitors) await insertMonitor(database.pool, newMonitor.parse({ name: 'x', ...fields }));
  const tags = ['shown', 'hidden', 'paused'];
  const body = { page_path: 'p', page_title: 'x', page_header: 'x', monitors: tags };
  page = (await createPage(database.pool, newPage.parse(body))).id;
});
afterAll(() => database.drop());

const incident = (title: string, tags: string[], start: number, end?: number) => {
  const monitors = tags.map((monitor_tag) => ({ monitor_tag }));
  const body = { title, start_date_time: start, end_date_time: end, monitors };
  return createIncident(database.pool, newIncident.parse(body), 'API');
};

it('shows a page the incidents of its visible monitors and those of nobody in particular, and no hidden tag', async () => {
  await incident('shown', ['shown', 'hidden', 'elsewhere'], NOW - DAY);
  await incident('everybody', [], NOW - 2 * DAY, NOW + DAY);
  await incident('elsewhere', ['elsewhere'], NOW - DAY);
  await incident('hidden', ['hidden', 'paused'], NOW - DAY);
  await incident('gone', ['gone'], NOW - DAY);
  const gone = await findMonitor(database.pool, 'gone');
  await deleteMonitor(database.pool, gone?.id ?? 0);
  for (const [title, age] of [
    ['fresh', 1],
    ['week', 7],
    ['older', 8],
  ] as const)
    await incident(title, ['shown'], NOW - 9 * DAY, NOW - age * DAY);
  await incident('just', ['shown'], NOW - 9 * DAY, NOW);
  const seen = async (settings = RESOLVED) => {
    const { ongoing, resolved } = await listPageIncidents(database.pool, page, NOW, settings);
    return [ongoing, resolved].map((list) => list.map(({ title }) => title).join());
  };
  expect(await seen()).toEqual(['shown,everybody', 'just,fresh,week']);
  expect(await seen({ ...RESOLVED, max_count: 2, days_in_past: 2 ** 53 - 1 })).toEqual([
    'shown,everybody',
    'just,fresh',
  ]);
  expect(await seen({ ...RESOLVED, max_count: 0 })).toEqual(['shown,everybody', '']);
  const { ongoing } = await listPageIncidents(database.pool, page, NOW, RESOLVED);
  expect(ongoing[0]?.monitors.map(({ tag }) => tag)).toEqual(['shown', 'elsewhere']);
});

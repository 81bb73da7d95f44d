import { afterAll, beforeAll, expect, it } from 'vitest';
import { ACTIONS } from '../../../../api/manage/actions.ts';
import { ACTION_CASES, makerOn, TRIED_ELSEWHERE, type Maker } from '../../../support/action-cases.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';
import { addOwner, addUser, openBrowser, PASSWORD, type Browser } from '../../../support/people.ts';

const FORBIDDEN = { error: { code: 'FORBIDDEN', message: 'You do not have permission to perform this action' } };
/** What everybody may do who has signed in, with data and the status of the answer. */
const FOR_ALL: Record<string, [data: object, status: number]> = {
  updateUser: [{ name: 'Another' }, 200],
  updatePassword: [{ current_password: PASSWORD, new_password: 'Another horse 2' }, 200],
  sendVerificationEmail: [{}, 400],
  getSessions: [{}, 200],
  deleteSession: [{ id: 2_000_000_000 }, 200],
};

let dashboard: Dashboard;
let make: Maker;
let person: Browser;
beforeAll(async () => {
  dashboard = await startDashboard();
  make = makerOn(dashboard);
  const { pool } = dashboard.test.database;
  await addOwner(pool);
  await addUser(pool, 'nobody@example.com');
  person = openBrowser(dashboard.test.api);
  await person.logIn('nobody@example.com');
});
afterAll(() => dashboard.test.stop());

const guarded = ACTIONS.filter(({ permission }) => permission !== null).map(({ name }) => name);
const forAll = ACTIONS.filter(({ permission }) => permission === null).map(({ name }) => name);

it('knows every action, each by one name', () => {
  expect([...Object.keys(ACTION_CASES), ...Object.keys(TRIED_ELSEWHERE)].sort()).toEqual([...guarded].sort());
  expect(Object.keys(FOR_ALL).sort()).toEqual([...forAll].sort());
  expect(new Set(ACTIONS.map(({ name }) => name)).size).toBe(ACTIONS.length);
});

it.each(guarded)('%s is refused to who has every other permission, whatever it is given', async (name) => {
  for (const data of [{}, 7, await ACTION_CASES[name]?.(make)]) {
    const answer = await dashboard.askWithout(name, data);
    expect(answer).toMatchObject({ status: 403, body: FORBIDDEN });
  }
});

it.each(Object.keys(ACTION_CASES))('%s is done for who has its permission and no other', async (name) => {
  await dashboard.run(name, await ACTION_CASES[name]?.(make));
});

it('testMonitor is taken from who has its permission and no other', async () => {
  expect((await dashboard.ask('testMonitor', TRIED_ELSEWHERE.testMonitor)).status).toBe(404);
});

it.each(forAll)('%s is refused to who has not signed in, and done for who has, without any role', async (name) => {
  const [data, status] = FOR_ALL[name] ?? [{}, 0];
  expect((await openBrowser(dashboard.test.api).act(name, data)).status).toBe(401);
  const answer = await person.act(name, data);
  expect(answer.status, answer.text).toBe(status);
});

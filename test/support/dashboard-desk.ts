import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startApi, type ApiSettings, type TestApi } from './api-server.ts';
import { openBrowser } from './browser.ts';
import { addOwner, PASSWORD } from './people.ts';
import { openPage, SIZES, type WatchedPage } from './web-page.ts';

/** A person at a desk before the dashboard of a service of its own. */
export interface Desk {
  test: TestApi;
  browser: Browser;
  watched: WatchedPage;
  page: Page;
  go(path: string, view?: Page): Promise<unknown>;
  button(name: string | RegExp, view?: Page): Locator;
  dialog(): Locator;
  /** Waits for a heading of these words. */
  headed(name: string, view?: Page): Promise<void>;
  /** Fills in the sign-in form that is shown. */
  signIn(email: string, view?: Page): Promise<void>;
  /** What `/api/v4` says. */
  read(path: string): Promise<unknown>;
  /** Lines of the console, and other hosts that were asked: none for a good dashboard. */
  faults(): string[];
  leave(): Promise<void>;
}

/** The owner of a desk of `openDesk`, who has signed in. */
export const OWNER = 'ada@example.com';

/** Without `isEmpty` there is an owner, who has signed in. */
export async function openDesk({
  isEmpty = false,
  ...settings
}: ApiSettings & { isEmpty?: boolean } = {}): Promise<Desk> {
  const [test, browser] = await Promise.all([startApi({ withPages: true, ...settings }), openBrowser()]);
  const watched = await openPage(browser, { viewport: SIZES.desk });
  const { page } = watched;
  page.setDefaultTimeout(20_000);
  const desk: Desk = {
    ...{ test, browser, watched, page },
    go: (path, view = page) => view.goto(`${test.api.base}/manage${path}`),
    button: (name, view = page) => view.getByRole('button', { name }),
    dialog: () => page.getByRole('dialog'),
    headed: (name, view = page) => view.getByRole('heading', { name, exact: true }).waitFor(),
    async signIn(email, view = page) {
      await view.getByLabel('Email').fill(email);
      await view.getByLabel('Password').fill(PASSWORD);
      await desk.button('Sign in', view).click();
    },
    read: async (path) => (await test.api.get(`/api/v4${path}`)).body,
    faults: () => faultsOf(watched, test.api.base),
    async leave() {
      await browser.close();
      await test.stop();
    },
  };
  if (isEmpty) return desk;
  await addOwner(test.database.pool, OWNER);
  await desk.go('');
  await desk.signIn(OWNER);
  await desk.headed('Overview');
  return desk;
}

/** An expectation of what a look finds in the end: views answer when the machine lets them. */
export function soon<T>(look: () => T | Promise<T>) {
  return expect.poll(look, { timeout: 20_000 });
}

/** What the server refuses a browser tells its console, whatever the page does. */
const TOLD_BY_BROWSER = /status of (400|401|503)|^verbose/;

function faultsOf({ said, asked }: WatchedPage, base: string): string[] {
  const strangers = asked.filter((url) => !/^(data|about):/.test(url) && new URL(url).origin !== base);
  return [...said.filter((line) => !TOLD_BY_BROWSER.test(line)), ...strangers];
}

import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { fetchPlain } from '../support/fetch-plain.ts';
import { median, say } from './bench-database.ts';
import { load } from './http-load.ts';

/** How visitors differ: the days of the first two are cut alike. */
const VISITORS = [
  { zone: 'UTC', language: 'en' },
  { zone: 'Africa/Abidjan', language: 'fr' },
  { zone: 'Europe/Berlin', language: 'de' },
  { zone: 'Asia/Kolkata', language: 'en' },
] as const;
/** A visitor every so many milliseconds. */
const VISIT_MS = 20;
/** Longer than a page is kept without visitors. */
const SILENCE_MS = 50_000;
const KB = 1024;

/** What visitors of a page wait for, from a server that has just started: the first ones, and then for `seconds`. */
export async function measureVisits(port: number, path: string, seconds: number): Promise<void> {
  const first: number[] = [];
  for (const visitor of VISITORS) first.push((await visit(port, path, visitor)).ms);
  say(`${path}: the first visitor of each kind waits ${first.map(ms).join(', ')}`);
  const waits: number[] = [];
  const pending: Promise<unknown>[] = [];
  const end = performance.now() + seconds * 1000;
  // At their own pace, whether those before have been served or not.
  for (let count = 0; performance.now() < end; count += 1) {
    const visitor = VISITORS[count % VISITORS.length] ?? VISITORS[0];
    pending.push(visit(port, path, visitor).then((fetched) => waits.push(fetched.ms)));
    await sleep(VISIT_MS);
  }
  await Promise.all(pending);
  say(`${path}: ${waits.length} visits in ${seconds} s, ${spread(waits)}`);
  const lone: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    await sleep(SILENCE_MS);
    lone.push((await visit(port, path, VISITORS[2])).ms);
  }
  say(`${path}: alone after ${SILENCE_MS / 1000} s of silence ${lone.map(ms).join(', ')}`);
}

/** How many requests a second the kept page answers, and how many of those that have it already. */
export async function measureRush(port: number, path: string, seconds: number): Promise<void> {
  const { headers } = await visit(port, path, VISITORS[0]);
  const asking = (more: string) => () =>
    `GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept-Encoding: br\r\nCookie: farwatch_zone=UTC\r\nAccept-Language: en\r\n${more}\r\n`;
  const options = { connections: 20, ms: seconds * 1000 };
  const whole = await load(port, { ...options, status: 200 }, asking(''));
  const again = await load(port, { ...options, status: 304 }, asking(`If-None-Match: ${headers.etag ?? ''}\r\n`));
  say(
    `${path}: 20 connections at once: ${whole.perSecond.toFixed(0)}/s, p99 ${ms(whole.p99Ms)}; ` +
      `unchanged ${again.perSecond.toFixed(0)}/s, p99 ${ms(again.p99Ms)}`,
  );
}

/** What goes over the wire until the page can be painted, and the script that comes after it. */
export async function measureBytes(port: number, path: string): Promise<void> {
  const page = await visit(port, path, VISITORS[0]);
  const html = brotliDecompressSync(page.body).toString();
  const files = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js))"/g)].map(([, file = '']) => file);
  const parts = [`HTML ${kb(page.body.length)} (${kb(html.length)} plain)`];
  let blocking = page.body.length;
  for (const file of files) {
    const { body } = await visit(port, file, VISITORS[0]);
    if (file.endsWith('.css')) blocking += body.length;
    parts.push(`${file.endsWith('.css') ? 'CSS' : 'JS, not waited for,'} ${kb(body.length)}`);
  }
  say(`${path}: first paint ${kb(blocking)}: ${parts.join(', ')}; ${(html.match(/<[a-z]/g) ?? []).length} elements`);
}

/** When a browser has painted the page first, and when it can be used; with a processor `slower` times as slow as this. */
export async function measurePaint(browser: Browser, port: number, path: string, slower: number): Promise<void> {
  const rounds: { paint: number; usable: number }[] = [];
  for (let round = 0; round < 3; round += 1) {
    const context = await browser.newContext({ timezoneId: 'UTC', viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
    await page.goto(`http://127.0.0.1:${port}${path}`, { waitUntil: 'load' });
    rounds.push(
      await page.evaluate(async () => {
        // What a click would wait for.
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        const usable = performance.now();
        const [paint] = performance.getEntriesByName('first-contentful-paint');
        return { paint: paint?.startTime ?? NaN, usable };
      }),
    );
    await context.close();
  }
  const middle = (of: (round: { paint: number; usable: number }) => number): string => ms(median(rounds.map(of)));
  say(
    `${path}: Chromium, ${slower} times slower: painted after ${middle(({ paint }) => paint)}, usable after ${middle(({ usable }) => usable)}`,
  );
}

async function visit(port: number, path: string, { zone, language }: (typeof VISITORS)[number]) {
  const begun = performance.now();
  const headers = { 'Accept-Encoding': 'br, gzip', 'Accept-Language': language, Cookie: `farwatch_zone=${zone}` };
  const answer = await fetchPlain(`http://127.0.0.1:${port}${path}`, headers);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  return { ms: performance.now() - begun, ...answer };
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string =>
    ms(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function kb(bytes: number): string {
  return `${(bytes / KB).toFixed(1)} KB`;
}

import type { Response } from 'express';
import { expect, it } from 'vitest';
import { callerAt, createRateLimit } from '../../../../api/http/rate-limit.ts';

/** An answer as far as the limit looks at it: its headers. */
function answer(): Response & { headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  const response = { headers, setHeader: (name: string, value: string) => (headers[name] = value) };
  // Nothing else of it is used.
  return response as unknown as Response & { headers: Record<string, string> };
}

it('grants the limit in each minute from the first request on, and says what is left', () => {
  let now = 5000;
  const take = createRateLimit('key', 2, () => now);
  const first = answer();
  take('a', first);
  expect(first.headers).toEqual({ 'RateLimit-Policy': '"key";q=2;w=60', RateLimit: '"key";r=1;t=60' });
  now += 59_001;
  const second = answer();
  take('a', second);
  expect(second.headers.RateLimit).toBe('"key";r=0;t=1');
  const third = answer();
  expect(() => take('a', third)).toThrow(
    expect.objectContaining({
      code: 'RATE_LIMITED',
      retryAfterS: 1,
      message: 'At most 2 requests a minute, try again in 1 seconds',
    }),
  );
  expect(third.headers.RateLimit).toBe('"key";r=0;t=1');
  now += 999;
  take('a', answer());
});

it('counts each caller alone', () => {
  const take = createRateLimit('key', 1, () => 0);
  for (const caller of ['a', 'b', 'c']) take(caller, answer());
  for (const caller of ['a', 'b', 'c']) expect(() => take(caller, answer())).toThrow();
});

it('counts nothing and says nothing without a limit', () => {
  const take = createRateLimit('key', 0);
  const given = answer();
  for (let round = 0; round < 3; round += 1) take('a', given);
  expect(given.headers).toEqual({});
});

it('remembers a bounded number of callers, the newest', () => {
  const take = createRateLimit('address', 1, () => 0);
  for (let caller = 0; caller < 100_001; caller += 1) take(`caller ${caller}`, answer());
  take('caller 0', answer());
  expect(() => take('caller 100000', answer())).toThrow();
});

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::7', '2001:db8:1:2'],
  ['2001:db8::7', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('counts %s as %s', (address, caller) => {
  expect(callerAt(address)).toBe(caller);
});

import { expect, it } from 'vitest';
import { z } from 'zod';
import { exposureOf, exposureVariables } from '../../../../api/http/exposure.ts';
import { ConfigError, parseConfig } from '../../../../runtime/config.ts';

const read = (env: Record<string, string>) => exposureOf(parseConfig(z.object(exposureVariables), env));

it('lets no other origin in, trusts no proxy and grants 6,000 requests a minute unless told otherwise', () => {
  expect(read({})).toEqual({ corsOrigins: [], trustedProxies: [], perCaller: 6000, perAddress: 6000 });
});

it('takes lists and numbers', () => {
  const exposure = read({
    CORS_ORIGINS: 'https://a.example, http://localhost:8080,',
    TRUSTED_PROXIES: 'loopback,10.0.0.0/8,fd00::/8,127.0.0.1',
    RATE_LIMIT_PER_KEY: '0',
    RATE_LIMIT_PER_ADDRESS: '100',
  });
  expect(exposure).toEqual({
    corsOrigins: ['https://a.example', 'http://localhost:8080'],
    trustedProxies: ['loopback', '10.0.0.0/8', 'fd00::/8', '127.0.0.1'],
    perCaller: 0,
    perAddress: 100,
  });
});

it.each([
  ['CORS_ORIGINS', '*'],
  ['CORS_ORIGINS', 'null'],
  ['CORS_ORIGINS', 'https://a.example/'],
  ['CORS_ORIGINS', 'https://a.example:443'],
  ['CORS_ORIGINS', 'HTTPS://A.example'],
  ['CORS_ORIGINS', 'ftp://a.example'],
  ['TRUSTED_PROXIES', 'everybody'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
  ['TRUSTED_PROXIES', '::/129'],
  ['RATE_LIMIT_PER_KEY', '-1'],
  ['RATE_LIMIT_PER_KEY', 'many'],
  ['RATE_LIMIT_PER_ADDRESS', '1.5'],
])('refuses %s=%s', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(ConfigError);
});

import { expect, it } from 'vitest';
import { collectorConfig } from '../../../collector/config.ts';
import { ConfigError, parseConfig } from '../../../runtime/config.ts';

const env = { DATABASE_URL: 'postgres://x', NATS_URL: 'nats://x' };

it('a collector listens on loopback only unless it is told otherwise', () => {
  expect(parseConfig(collectorConfig, env).COLLECTOR_LISTEN.host).toBe('127.0.0.1');
  expect(parseConfig(collectorConfig, env).HEALTH_LISTEN).toBeUndefined();
  const told = parseConfig(collectorConfig, { ...env, COLLECTOR_LISTEN: '0.0.0.0:7000' });
  expect(told.COLLECTOR_LISTEN).toEqual({ host: '0.0.0.0', port: 7000 });
});

it('a collector does not start without the addresses of its database and bus', () => {
  expect(() => parseConfig(collectorConfig, {})).toThrow(ConfigError);
});

import { expect, it } from 'vitest';
import { collectorConfig } from '../../../collector/config.ts';
import { ConfigError, parseConfig } from '../../../runtime/config.ts';

const env = { DATABASE_URL: 'postgres://x', NATS_URL: 'tls://x', FARWATCH_IDENTITY_DIR: '/keys' };

it('a collector listens on loopback only unless it is told otherwise', () => {
  expect(parseConfig(collectorConfig, env).COLLECTOR_LISTEN.host).toBe('127.0.0.1');
  expect(parseConfig(collectorConfig, env).HEALTH_LISTEN).toBeUndefined();
  const told = parseConfig(collectorConfig, { ...env, COLLECTOR_LISTEN: '0.0.0.0:7000' });
  expect(told.COLLECTOR_LISTEN).toEqual({ host: '0.0.0.0', port: 7000 });
});

it('a collector reaches NATS by TLS, or else on loopback', () => {
  for (const url of ['tls://nats.example:4222', 'nats://127.0.0.1:4222', 'nats://[::1]', 'tls://a:1,tls://b:2'])
    expect(parseConfig(collectorConfig, { ...env, NATS_URL: url }).NATS_URL).toBe(url);
  for (const url of ['nats://nats.example:4222', 'nats://127.0.0.1:1,nats://10.0.0.1', 'nats', 'http://127.0.0.1'])
    expect(() => parseConfig(collectorConfig, { ...env, NATS_URL: url })).toThrow(/NATS_URL: .*must be tls:/);
});

it('a collector does not send agents to a NATS that asks for other logins than its own', () => {
  const local = { ...env, NATS_URL: 'nats://127.0.0.1:4222', NATS_PUBLIC_URL: 'tls://nats.example:4222' };
  expect(() => parseConfig(collectorConfig, local)).toThrow(/NATS_PUBLIC_URL: must be tls:/);
  expect(parseConfig(collectorConfig, { ...env, NATS_PUBLIC_URL: 'tls://y:1' }).NATS_PUBLIC_URL).toBe('tls://y:1');
});

it('a collector does not start without the addresses of its database and bus', () => {
  expect(() => parseConfig(collectorConfig, {})).toThrow(ConfigError);
});

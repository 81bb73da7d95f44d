import { describe, expect, it } from 'vitest';
import { agentConfig } from '../../../agent/config.ts';
import { encodeInvitation } from '../../../core/invitation.ts';
import { ConfigError, parseConfig } from '../../../runtime/config.ts';

const GOOD = { FARWATCH_STATE_DIR: '/var/lib/farwatch' };
const INVITATION = encodeInvitation({ collector: 'c:1', fingerprint: 'a'.repeat(64), secret: 'b'.repeat(64) });

function problemsOf(change: Record<string, string | undefined>): readonly string[] {
  try {
    parseConfig(agentConfig, { ...GOOD, ...change });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('the configuration of an agent', () => {
  it('allows private addresses and a gibibyte of spool unless told otherwise', () => {
    expect(parseConfig(agentConfig, GOOD)).toMatchObject({ FARWATCH_ALLOW: ['private'], spoolBytes: 2 ** 30 });
    const told = { ...GOOD, FARWATCH_ALLOW: 'loopback, link-local', FARWATCH_SPOOL_MIB: '16' };
    expect(parseConfig(agentConfig, told)).toMatchObject({
      FARWATCH_ALLOW: ['loopback', 'link-local'],
      spoolBytes: 16 * 2 ** 20,
    });
  });

  it.each([
    ['no state folder', { FARWATCH_STATE_DIR: undefined }, /FARWATCH_STATE_DIR/],
    ['what is no invitation', { FARWATCH_INVITATION: 'fwi_x' }, /FARWATCH_INVITATION: must be an invitation/],
    ['NATS in plain text beyond loopback', { NATS_URL: 'nats://10.0.0.1:4222' }, /NATS_URL: beyond loopback/],
    [
      'NATS in plain text beside NATS with TLS',
      { NATS_URL: 'tls://nats.test:4222, nats://127.0.0.1:4222' },
      /NATS_URL: must be tls:\/\/ in all of its addresses or in none/,
    ],
    ['an address without a port', { COLLECTOR_ADDRESS: 'collector' }, /COLLECTOR_ADDRESS: must be host:port/],
    [
      'an unknown address class',
      { FARWATCH_ALLOW: 'loopback,everything' },
      /FARWATCH_ALLOW: must be a comma-separated/,
    ],
    ['a reference that is a name', { FARWATCH_REFERENCES: 'one.test:443' }, /FARWATCH_REFERENCES: must be a comma-sep/],
    ['a reference on the own host', { FARWATCH_REFERENCES: '10.0.0.1:443,127.0.0.1:1' }, /beyond this host/],
    ['a reference without a port', { FARWATCH_REFERENCES: '10.0.0.1' }, /FARWATCH_REFERENCES: must be a comma-sep/],
    ['a spool of no size', { FARWATCH_SPOOL_MIB: '0' }, /FARWATCH_SPOOL_MIB/],
  ])('refuses %s', (_, change, expected) => {
    const problems = problemsOf(change);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });

  it('reads references of both families', () => {
    const told = { ...GOOD, FARWATCH_REFERENCES: '10.0.0.1:443, [2001:db8::1]:53' };
    expect(parseConfig(agentConfig, told).FARWATCH_REFERENCES).toEqual([
      { host: '10.0.0.1', port: 443 },
      { host: '2001:db8::1', port: 53 },
    ]);
    expect(parseConfig(agentConfig, GOOD).FARWATCH_REFERENCES).toEqual([]);
  });

  it('reads an invitation with white space around it', () => {
    const { FARWATCH_INVITATION } = parseConfig(agentConfig, { ...GOOD, FARWATCH_INVITATION: ` ${INVITATION}\n` });
    expect(FARWATCH_INVITATION).toEqual({
      collector: 'c:1',
      fingerprint: 'a'.repeat(64),
      secret: 'b'.repeat(64),
    });
  });
});

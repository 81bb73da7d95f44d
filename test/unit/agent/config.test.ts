import { describe, expect, it } from 'vitest';
import { agentConfig, parseToken } from '../../../agent/config.ts';
import { ConfigError, parseConfig } from '../../../runtime/config.ts';

const TOKEN = `fwa_${'0'.repeat(64)}`;
const GOOD = {
  FARWATCH_REGION: 'eu',
  FARWATCH_TOKEN: TOKEN,
  COLLECTOR_ADDRESS: '127.0.0.1:50051',
  NATS_URL: 'nats://127.0.0.1:4222',
  FARWATCH_STATE_DIR: '/var/lib/farwatch',
};

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
    ['no region', { FARWATCH_REGION: undefined }, /FARWATCH_REGION/],
    ['a region that is no name', { FARWATCH_REGION: 'EU West' }, /FARWATCH_REGION: must be a region/],
    ['no token', { FARWATCH_TOKEN: undefined }, /FARWATCH_TOKEN: set it, or FARWATCH_TOKEN_FILE/],
    ['two tokens', { FARWATCH_TOKEN_FILE: '/run/token' }, /FARWATCH_TOKEN: set it, or FARWATCH_TOKEN_FILE/],
    ['an address without a port', { COLLECTOR_ADDRESS: 'collector' }, /COLLECTOR_ADDRESS: must be host:port/],
    [
      'an unknown address class',
      { FARWATCH_ALLOW: 'loopback,everything' },
      /FARWATCH_ALLOW: must be a comma-separated/,
    ],
    ['a spool of no size', { FARWATCH_SPOOL_MIB: '0' }, /FARWATCH_SPOOL_MIB/],
  ])('refuses %s', (_, change, expected) => {
    const problems = problemsOf(change);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });

  it('reads a token from a file with white space around it, and nothing else', () => {
    expect(parseToken(` ${TOKEN}\n`)).toBe(TOKEN);
    expect(parseToken('secret')).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { judgeConnectError } from '../../../../agent/probes/tcp-error.ts';

describe('a connect that failed', () => {
  it.each([
    ['ECONNREFUSED', 'refused'],
    ['ECONNRESET', 'reset'],
    ['ETIMEDOUT', 'timeout'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['EHOSTDOWN', 'unreachable'],
    ['ENOPROTOOPT', 'unreachable'],
    ['EPROTO', 'error'],
  ])("later, with %s, is the target's: %s", (errno, code) => {
    expect(judgeConnectError(errno, false)).toEqual({ code, problem: null });
  });

  it.each(['ENETUNREACH', 'EHOSTUNREACH', 'EACCES', 'EPERM', 'EINVAL', 'EAFNOSUPPORT'])(
    "at once, with %s, had no route: the agent's own",
    (errno) => {
      expect(judgeConnectError(errno, true)).toMatchObject({
        code: 'unmeasured',
        problem: { reason: 'route', cause: 'AGENT' },
      });
    },
  );

  it.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])(
    'with %s lacked a descriptor, buffer or port, whenever it came',
    (errno) => {
      for (const atOnce of [true, false]) {
        expect(judgeConnectError(errno, atOnce).problem).toMatchObject({ reason: 'descriptors', cause: 'AGENT' });
      }
    },
  );

  it('at once, with ECONNREFUSED, was refused by a port of the own host', () => {
    expect(judgeConnectError('ECONNREFUSED', true)).toEqual({ code: 'refused', problem: null });
  });
});

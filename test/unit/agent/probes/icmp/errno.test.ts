import { expect, test } from 'vitest';
import { errnoOf, socketProblem } from '../../../../../agent/probes/icmp/errno.ts';
import { icmpErrorText } from '../../../../../agent/probes/icmp/error-text.ts';

test.each([
  ['Operation not permitted', 'EPERM', 'permission'],
  ['Permission denied', 'EACCES', 'permission'],
  ['Too many open files', 'EMFILE', 'descriptors'],
  ['No file descriptors available', 'EMFILE', 'descriptors'],
  ['Too many open files in system', 'ENFILE', 'descriptors'],
  ['No buffer space available', 'ENOBUFS', 'descriptors'],
  ['Cannot allocate memory', 'ENOMEM', 'descriptors'],
  ['Resource temporarily unavailable', 'EAGAIN', 'descriptors'],
  ['Network is unreachable', 'ENETUNREACH', 'route'],
  ['Network unreachable', 'ENETUNREACH', 'route'],
  ['No route to host', 'EHOSTUNREACH', 'route'],
  ['Cannot assign requested address', 'EADDRNOTAVAIL', 'route'],
  ['Address family not supported by protocol', 'EAFNOSUPPORT', 'route'],
])('"%s" is %s, and the agent has a problem of %s', (message, errno, reason) => {
  expect(errnoOf(new Error(message))).toBe(errno);
  const problem = socketProblem('send', new Error(message));
  expect(problem.reason).toBe(reason);
  expect(problem.detail).toContain(message);
});

test('a text nobody knows is still the agent and never the target', () => {
  expect(errnoOf(new Error('Quota exceeded'))).toBeNull();
  expect(socketProblem('send', new Error('Quota exceeded'))).toMatchObject({ reason: 'route' });
});

test('only where opening is not permitted the mending is told', () => {
  const denied = new Error('Operation not permitted');
  expect(socketProblem('open', denied).detail).toContain('CAP_NET_RAW');
  expect(socketProblem('send', denied).detail).not.toContain('CAP_NET_RAW');
});

test.each([
  [4, 3, 1, 'host unreachable (ICMP 3/1 from 192.0.2.1)'],
  [4, 11, 0, 'time to live exceeded in transit (ICMP 11/0 from 192.0.2.1)'],
  [6, 1, 0, 'no route to destination (ICMPv6 1/0 from 192.0.2.1)'],
  [6, 3, 0, 'hop limit exceeded in transit (ICMPv6 3/0 from 192.0.2.1)'],
  [4, 3, 99, 'unreachable (ICMP 3/99 from 192.0.2.1)'],
] as const)('IPv%s error %s/%s reads "%s"', (family, type, code, text) => {
  expect(icmpErrorText(family, type, code, '192.0.2.1')).toBe(text);
});

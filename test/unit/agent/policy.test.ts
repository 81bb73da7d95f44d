import { describe, expect, it } from 'vitest';
import { classifyAddress, DEFAULT_ALLOW, guardResolve } from '../../../agent/policy.ts';
import type { Resolve } from '../../../agent/probes/target.ts';

const never = new AbortController().signal;

describe('the class of an address', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fd00:ec2::254', 'link-local'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['0.0.0.0', 'broadcast'],
    ['0.1.2.3', 'broadcast'],
    ['::', 'broadcast'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd12:3456::1', 'private'],
    ['fec0::1', 'private'],
    ['64:ff9b:1::192.0.2.1', 'private'],
    ['64:ff9b:1:c000:2:100::', 'private'],
    ['64:ff9b:1:0:7f:0:100:0', 'private'],
    ['64:ff9b:1:ffff:ffff:ffff:ffff:ffff', 'broadcast'],
    ['64:ff9b:2::10.0.0.1', null],
    ['172.32.0.1', null],
    ['100.128.0.1', null],
    ['192.0.2.1', null],
    ['2001:db8::1', null],
  ])('%s is %s', (address, expected) => {
    expect(classifyAddress(address)).toBe(expected);
  });

  it.each([
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:0:127.0.0.1', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b::169.254.169.254', 'link-local'],
    ['2002:7f00:1::', 'loopback'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b::192.0.2.1', null],
    ['64:ff9b:1::127.0.0.1', 'loopback'],
    ['64:ff9b:1:abcd::169.254.169.254', 'link-local'],
    ['64:ff9b:1:abcd::224.0.0.1', 'multicast'],
    ['2002:a00:1::1', 'private'],
    ['2002:a9fe:a9fe::1', 'link-local'],
    ['2001:0:c000:201:0:ffff:80ff:fffe', 'loopback'],
    ['2001::5601:5601', 'link-local'],
    ['2001:0:c000:201:8000:63bf:f5ff:fffe', 'private'],
    ['2001:0:a00:1:8000:63bf:3fff:fdfe', 'private'],
    ['2001:0:c000:201:8000:63bf:3fff:fdfe', null],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:0.0.0.0', 'broadcast'],
    ['::ffff:192.0.2.1', null],
    ['2002:c000:201::1', null],
  ])('an IPv6 address that carries an IPv4 address is what that is: %s is %s', (address, expected) => {
    expect(classifyAddress(address)).toBe(expected);
  });
});

describe('the guarded resolution', () => {
  const resolveTo =
    (address: string, family: 4 | 6): Resolve =>
    async () => ({ kind: 'address', address, family });

  it.each(['127.0.0.1', '169.254.169.254', '224.0.0.1', '255.255.255.255'])(
    'refuses %s by default, as a problem of the agent',
    async (address) => {
      const resolve = guardResolve(resolveTo(address, 4), DEFAULT_ALLOW);
      const target = await resolve({ type: 'IP4', host: address }, never);
      expect(target).toMatchObject({ kind: 'problem', reason: 'policy', cause: 'AGENT' });
    },
  );

  it('allows private addresses by default, and refuses them where the owner does', async () => {
    const inner = resolveTo('10.1.2.3', 4);
    const host = { type: 'IP4', host: '10.1.2.3' } as const;
    expect(await guardResolve(inner, DEFAULT_ALLOW)(host, never)).toMatchObject({ kind: 'address' });
    expect(await guardResolve(inner, [])(host, never)).toMatchObject({ reason: 'policy' });
  });

  it('looks at the address a name resolves to, and names both', async () => {
    const resolve = guardResolve(resolveTo('::1', 6), DEFAULT_ALLOW);
    const target = await resolve({ type: 'DOMAIN', host: 'inside.example' }, never);
    expect(target).toMatchObject({
      reason: 'policy',
      detail: expect.stringContaining('inside.example (::1)') as unknown,
    });
  });

  it('allows loopback where the owner does', async () => {
    const resolve = guardResolve(resolveTo('127.0.0.1', 4), ['loopback']);
    expect(await resolve({ type: 'IP4', host: '127.0.0.1' }, never)).toMatchObject({ address: '127.0.0.1' });
  });

  it('passes on what is no address', async () => {
    const inner: Resolve = async () => ({ kind: 'definite', error: 'gone does not exist' });
    expect(await guardResolve(inner, [])({ type: 'DOMAIN', host: 'gone' }, never)).toEqual({
      kind: 'definite',
      error: 'gone does not exist',
    });
  });
});

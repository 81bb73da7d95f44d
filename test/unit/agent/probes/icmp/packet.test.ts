import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checksum, decode, ECHO_LENGTH, writeEchoRequest } from '../../../../../agent/probes/icmp/packet.ts';
import { icmpV4, icmpV6, internetChecksum, ipV4, ipV6 } from '../../../../support/icmp-forge.ts';

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');
const echo = { id: 0x1234, sequence: 0xfffe, cookieHigh: -2, cookieLow: 0x01020304 };
/** `echo` on the wire, written by hand: identifier, sequence, cookie, mark. */
const rest = Buffer.concat([hex('1234 fffe fffffffe 01020304'), Buffer.from('farwatch')]);

const requestV4 = icmpV4(8, 0, rest);
const requestV6 = icmpV6(128, 0, rest, 'fd00::1', 'fd00::2');
const replyV4 = ipV4('192.0.2.1', '192.0.2.9', icmpV4(0, 0, rest));
const replyV6 = icmpV6(129, 0, rest, 'fd00::2', 'fd00::1');
const unused = Buffer.alloc(4);
const quotedV4 = ipV4('192.0.2.9', '198.51.100.7', requestV4);
const errorV4 = ipV4('192.0.2.1', '192.0.2.9', icmpV4(3, 13, Buffer.concat([unused, quotedV4])));
const quotedV6 = ipV6('fd00::9', '2001:db8:0:1::7', requestV6);
const errorV6 = icmpV6(1, 4, Buffer.concat([unused, quotedV6]), 'fd00::1', 'fd00::9');

describe('checksum', () => {
  test("is the ones' complement sum of RFC 1071's example", () => {
    // RFC 1071 section 3: the sum of these bytes is ddf2.
    expect(checksum(hex('0001 f203 f4f5 f6f7'), 0, 8)).toBe(~0xddf2 & 0xffff);
  });

  test('is zero over a message that carries its own', () => {
    expect(checksum(hex('0800 f7f5 0001 0009'), 0, 8)).toBe(0);
  });

  test('counts an odd last byte as the high one, and carries more than once', () => {
    expect(checksum(hex('ff'), 0, 1)).toBe(0x00ff);
    expect(checksum(Buffer.alloc(1480, 0xff), 0, 1480)).toBe(0);
  });

  test('equals another implementation on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(checksum(buffer, 0, buffer.length)).toBe(internetChecksum(buffer));
      }),
    );
  });
});

describe('writeEchoRequest', () => {
  test('writes what RFC 792 says, with its checksum', () => {
    const buffer = Buffer.alloc(ECHO_LENGTH, 0xee);
    writeEchoRequest(buffer, 4, echo);
    expect(buffer.toString('hex')).toBe(requestV4.toString('hex'));
  });

  test('leaves the checksum of ICMPv6 to the kernel', () => {
    const buffer = Buffer.alloc(ECHO_LENGTH, 0xee);
    writeEchoRequest(buffer, 6, echo);
    expect(buffer.toString('hex')).toBe(`80000000${rest.toString('hex')}`);
  });
});

const answered = { kind: 'reply', ...echo };

describe('decode', () => {
  test('reads an ICMPv4 reply behind its IP header', () => {
    expect(decode(4, replyV4, replyV4.length)).toEqual(answered);
  });

  test('reads an ICMPv4 reply behind IP options', () => {
    const header = replyV4.subarray(0, 20);
    const withOptions = Buffer.concat([header, hex('01010101 01010100'), replyV4.subarray(20)]);
    withOptions[0] = 0x47;
    expect(decode(4, withOptions, withOptions.length)).toEqual(answered);
  });

  test('reads an ICMPv6 reply, which comes without a header', () => {
    expect(decode(6, replyV6, replyV6.length)).toEqual(answered);
  });

  test('reads only as many bytes as were received', () => {
    const reused = Buffer.concat([replyV4, Buffer.alloc(100, 0x77)]);
    expect(decode(4, reused, replyV4.length)).toEqual(answered);
    expect(decode(4, reused, replyV4.length - 1)).toBeNull();
  });

  test('reads an ICMPv4 error with what it quotes', () => {
    expect(decode(4, errorV4, errorV4.length)).toEqual({
      kind: 'error',
      type: 3,
      code: 13,
      id: echo.id,
      sequence: echo.sequence,
      cookie: { high: echo.cookieHigh, low: echo.cookieLow },
      innerSource: '192.0.2.9',
      innerDestination: '198.51.100.7',
    });
  });

  test('reads an ICMPv6 error with what it quotes, addresses as the kernel spells them', () => {
    expect(decode(6, errorV6, errorV6.length)).toMatchObject({
      kind: 'error',
      type: 1,
      code: 4,
      innerSource: 'fd00::9',
      innerDestination: '2001:db8:0:1::7',
    });
  });

  test('reads an error that quotes 64 bits, which have no cookie', () => {
    const short = ipV4('192.0.2.1', '192.0.2.9', icmpV4(11, 0, Buffer.concat([unused, quotedV4.subarray(0, 28)])));
    expect(decode(4, short, short.length)).toMatchObject({ kind: 'error', type: 11, sequence: 0xfffe, cookie: null });
  });

  test.each([
    ['an echo request', 4, ipV4('127.0.0.1', '127.0.0.1', requestV4)],
    ['an ICMPv6 echo request', 6, requestV6],
    ['a redirect', 4, ipV4('192.0.2.1', '192.0.2.9', icmpV4(5, 1, Buffer.concat([unused, quotedV4])))],
    ['a source quench', 4, ipV4('192.0.2.1', '192.0.2.9', icmpV4(4, 0, Buffer.concat([unused, quotedV4])))],
    ['a neighbour advertisement', 6, icmpV6(136, 0, Buffer.alloc(20), 'fd00::2', 'fd00::1')],
    ['a reply with a longer payload', 4, ipV4('192.0.2.1', '192.0.2.9', icmpV4(0, 0, Buffer.concat([rest, unused])))],
    ['an error about a UDP packet', 4, aboutUdp()],
    ['an IPv6 packet on an IPv4 socket', 4, ipV6('fd00::1', 'fd00::2', replyV6)],
    ['nothing', 4, Buffer.alloc(0)],
    ['nothing over IPv6', 6, Buffer.alloc(0)],
  ] as const)('has nothing to say of %s', (_, family, packet) => {
    expect(decode(family, packet, packet.length)).toBeNull();
  });

  test('has nothing to say of an IPv4 header that promises more than there is', () => {
    const packet = Buffer.from(replyV4);
    packet[0] = 0x4f;
    expect(decode(4, packet.subarray(0, 40), 40)).toBeNull();
    packet[0] = 0x44;
    expect(decode(4, packet, packet.length)).toBeNull();
  });

  test.each([
    ['IPv4 reply', 4, replyV4],
    ['IPv4 error', 4, errorV4],
    ['IPv6 reply', 6, replyV6],
  ] as const)('has nothing to say of an %s cut off anywhere', (_, family, packet) => {
    for (let length = 0; length < packet.length; length += 1) expect(decode(family, packet, length)).toBeNull();
  });

  test('takes from an ICMPv6 error cut off anywhere what it still has, and nothing else', () => {
    for (let length = 0; length < errorV6.length; length += 1) {
      const decoded = decode(6, errorV6, length);
      if (length < 8 + 40 + 8) expect(decoded).toBeNull();
      else expect(decoded).toMatchObject({ kind: 'error', id: echo.id, sequence: echo.sequence });
    }
  });

  test('sees every flipped bit of an ICMPv4 message', () => {
    for (let bit = 20 * 8; bit < replyV4.length * 8; bit += 1) {
      const flipped = Buffer.from(replyV4);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
      expect(decode(4, flipped, flipped.length)).toBeNull();
    }
  });

  test('never throws, whatever comes', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    // A first byte that looks like a header lets more of them through.
    const packet = fc.tuple(fc.constantFrom(0x45, 0x46, 0x4f, 0, 3, 11, 129, 1), bytes);
    fc.assert(
      fc.property(fc.constantFrom<4 | 6>(4, 6), packet, (family, [first, more]) => {
        const buffer = Buffer.from([first, ...more]);
        decode(family, buffer, buffer.length);
      }),
      { numRuns: 2000 },
    );
  });
});

function aboutUdp(): Buffer {
  const quoted = Buffer.from(quotedV4);
  quoted[9] = 17;
  return ipV4('192.0.2.1', '192.0.2.9', icmpV4(3, 3, Buffer.concat([unused, quoted])));
}

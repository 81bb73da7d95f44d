import { readAddress, type Family } from './address.ts';

/** What one echo request carries and its reply returns. The cookie's halves are signed 32-bit integers. */
export interface Echo {
  id: number;
  sequence: number;
  cookieHigh: number;
  cookieLow: number;
}

export interface EchoReply extends Echo {
  kind: 'reply';
}

/** An ICMP error about an echo request, with what it quotes of it. A router may quote no cookie (RFC 792: 64 bits). */
export interface EchoError {
  kind: 'error';
  type: number;
  code: number;
  id: number;
  sequence: number;
  cookie: { high: number; low: number } | null;
  /** Who sent the request and to whom, as quoted. */
  innerSource: string;
  innerDestination: string;
}

/** Header (8 bytes), cookie (8), and a mark by which a person with a packet dump knows us (8). */
export const ECHO_LENGTH = 24;
const HEADER_LENGTH = 8;
const COOKIE_END = 16;
const MARK = Buffer.from('farwatch');

const REQUEST = { 4: 8, 6: 128 } as const;
const REPLY = { 4: 0, 6: 129 } as const;
/** Destination unreachable and time exceeded (RFC 792, RFC 1122 3.2.2); redirect and source quench are no answers. */
const ERRORS_V4 = [3, 11];
/** Destination unreachable, packet too big, time exceeded, parameter problem (RFC 4443 section 3). */
const ERRORS_V6 = [1, 2, 3, 4];

/** The ICMP types the socket has to let through, by family. */
export const WANTED_TYPES = { 4: [REPLY[4], ...ERRORS_V4], 6: [REPLY[6], ...ERRORS_V6] } as const;

const PROTOCOL_ICMP = 1;
const PROTOCOL_ICMPV6 = 58;
const IPV4_HEADER = 20;
const IPV6_HEADER = 40;

/**
 * Writes an echo request of ECHO_LENGTH bytes (RFC 792; RFC 4443 4.1) to the start of `buffer`. ICMPv6 requests carry
 * no checksum: it covers the source address, which the kernel chooses, so the kernel computes it (RFC 3542 3.1).
 */
export function writeEchoRequest(buffer: Buffer, family: Family, echo: Echo): void {
  buffer[0] = REQUEST[family];
  buffer[1] = 0;
  buffer.writeUInt16BE(0, 2);
  buffer.writeUInt16BE(echo.id, 4);
  buffer.writeUInt16BE(echo.sequence, 6);
  buffer.writeInt32BE(echo.cookieHigh, 8);
  buffer.writeInt32BE(echo.cookieLow, 12);
  MARK.copy(buffer, COOKIE_END);
  if (family === 4) buffer.writeUInt16BE(checksum(buffer, 0, ECHO_LENGTH), 2);
}

/** The Internet checksum of `buffer[from, to)` (RFC 1071): 0 over a message whose checksum field is right. */
export function checksum(buffer: Buffer, from: number, to: number): number {
  let sum = 0;
  const even = to - ((to - from) & 1);
  for (let at = from; at < even; at += 2) sum += buffer.readUInt16BE(at);
  if (even < to) sum += buffer.readUInt8(even) << 8;
  sum = (sum & 0xffff) + (sum >>> 16);
  sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/**
 * What the first `length` bytes of `buffer`, as a raw socket delivered them, say about an echo request: ICMPv4 with
 * its IP header, ICMPv6 without. Null where they say nothing: other types, truncated, malformed, wrong checksum (the
 * kernel has checked ICMPv6's).
 */
export function decode(family: Family, buffer: Buffer, length: number): EchoReply | EchoError | null {
  const start = family === 4 ? ipv4Payload(buffer, 0, length) : 0;
  if (start < 0 || length - start < HEADER_LENGTH) return null;
  if (family === 4 && checksum(buffer, start, length) !== 0) return null;
  const type = buffer.readUInt8(start);
  if (type === REPLY[family]) return decodeReply(buffer, start, length);
  const errors = family === 4 ? ERRORS_V4 : ERRORS_V6;
  return errors.includes(type) ? decodeError(family, buffer, start, length) : null;
}

/** Where the ICMP message of the IPv4 packet at `at` begins (perhaps behind the end), or -1 where there is none. */
function ipv4Payload(buffer: Buffer, at: number, end: number): number {
  if (end - at < IPV4_HEADER) return -1;
  const versionAndLength = buffer.readUInt8(at);
  const header = (versionAndLength & 0x0f) * 4;
  if (versionAndLength >> 4 !== 4 || header < IPV4_HEADER || buffer.readUInt8(at + 9) !== PROTOCOL_ICMP) return -1;
  return at + header;
}

/** Where the ICMPv6 message of the IPv6 packet at `at` begins, or -1. We send no extension headers. */
function ipv6Payload(buffer: Buffer, at: number, end: number): number {
  if (end - at < IPV6_HEADER) return -1;
  const isIcmp = buffer.readUInt8(at) >> 4 === 6 && buffer.readUInt8(at + 6) === PROTOCOL_ICMPV6;
  return isIcmp ? at + IPV6_HEADER : -1;
}

function decodeReply(buffer: Buffer, start: number, length: number): EchoReply | null {
  // Ours come back at full length (RFC 792: "the data received in the echo message must be returned").
  if (length - start !== ECHO_LENGTH) return null;
  return {
    kind: 'reply',
    id: buffer.readUInt16BE(start + 4),
    sequence: buffer.readUInt16BE(start + 6),
    cookieHigh: buffer.readInt32BE(start + 8),
    cookieLow: buffer.readInt32BE(start + 12),
  };
}

function decodeError(family: Family, buffer: Buffer, start: number, length: number): EchoError | null {
  const packet = start + HEADER_LENGTH;
  const inner = family === 4 ? ipv4Payload(buffer, packet, length) : ipv6Payload(buffer, packet, length);
  if (inner < 0 || length - inner < HEADER_LENGTH || buffer.readUInt8(inner) !== REQUEST[family]) return null;
  const quotesCookie = length - inner >= COOKIE_END;
  const [source, destination] = family === 4 ? [12, 16] : [8, 24];
  return {
    kind: 'error',
    type: buffer.readUInt8(start),
    code: buffer.readUInt8(start + 1),
    id: buffer.readUInt16BE(inner + 4),
    sequence: buffer.readUInt16BE(inner + 6),
    cookie: quotesCookie ? { high: buffer.readInt32BE(inner + 8), low: buffer.readInt32BE(inner + 12) } : null,
    innerSource: readAddress(buffer, packet + source, family),
    innerDestination: readAddress(buffer, packet + destination, family),
  };
}

import { SocketAddress } from 'node:net';

export type Family = 4 | 6;

/**
 * The one spelling of an IP address that the kernel's answers use too (RFC 5952 for IPv6, as inet_ntop writes it),
 * without a zone. The caller has checked that `address` is one of `family`.
 */
export function canonicalAddress(address: string, family: Family): string {
  // Node accepts dotted decimal without leading zeros only: an IPv4 address has one spelling already.
  if (family === 4) return address;
  return new SocketAddress({ address: address.replace(/%.*$/, ''), family: 'ipv6' }).address;
}

/** The canonical spelling of an address in network byte order at `offset`, 4 or 16 bytes. */
export function readAddress(buffer: Buffer, offset: number, family: Family): string {
  if (family === 4) return buffer.subarray(offset, offset + 4).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => buffer.readUInt16BE(offset + 2 * index).toString(16));
  return canonicalAddress(groups.join(':'), 6);
}

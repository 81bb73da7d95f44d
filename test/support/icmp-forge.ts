/** ICMP packets written by hand for tests, apart from the code under test: RFC 791, 792, 1071, 4443, 8200. */

export function internetChecksum(bytes: Buffer): number {
  const padded = bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(1)]);
  let sum = 0;
  for (let at = 0; at < padded.length; at += 2) {
    sum += padded.readUInt16BE(at);
    if (sum > 0xffff) sum -= 0xffff;
  }
  return 0xffff - sum;
}

export function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const all = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** An ICMPv4 message with its checksum; `rest` is what follows type, code and checksum. */
export function icmpV4(type: number, code: number, rest: Buffer): Buffer {
  const message = Buffer.concat([Buffer.from([type, code, 0, 0]), rest]);
  message.writeUInt16BE(internetChecksum(message), 2);
  return message;
}

/** An ICMPv6 message with its checksum over the pseudo-header (RFC 8200 8.1). */
export function icmpV6(type: number, code: number, rest: Buffer, from: string, to: string): Buffer {
  const message = Buffer.concat([Buffer.from([type, code, 0, 0]), rest]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  const pseudo = [addressBytes(from), addressBytes(to), length, Buffer.from([0, 0, 0, 58])];
  message.writeUInt16BE(internetChecksum(Buffer.concat([...pseudo, message])), 2);
  return message;
}

/** `payload` in an IPv4 packet of protocol 1 (ICMP). */
export function ipV4(from: string, to: string, payload: Buffer): Buffer {
  const header = Buffer.alloc(20);
  header[0] = 0x45;
  header.writeUInt16BE(20 + payload.length, 2);
  header[8] = 64;
  header[9] = 1;
  addressBytes(from).copy(header, 12);
  addressBytes(to).copy(header, 16);
  header.writeUInt16BE(internetChecksum(header), 10);
  return Buffer.concat([header, payload]);
}

/** `payload` in an IPv6 packet of next header 58 (ICMPv6). */
export function ipV6(from: string, to: string, payload: Buffer): Buffer {
  const header = Buffer.alloc(40);
  header[0] = 0x60;
  header.writeUInt16BE(payload.length, 4);
  header[6] = 58;
  header[7] = 64;
  addressBytes(from).copy(header, 8);
  addressBytes(to).copy(header, 24);
  return Buffer.concat([header, payload]);
}

/** Just enough of the DNS wire format (RFC 1035 4.1) for a name server of the tests: one question, plain answers. */

export const TYPE_NUMBERS = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  CAA: 257,
} as const;
export type TypeName = keyof typeof TYPE_NUMBERS;

export const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;
export type Rcode = keyof typeof RCODES;

export interface DnsQuestion {
  id: number;
  /** As asked, without the trailing dot. */
  name: string;
  type: TypeName | 'OTHER';
  /** The question section as it came, for the answer to repeat. */
  raw: Buffer;
}

export function readQuestion(packet: Buffer): DnsQuestion {
  const labels: string[] = [];
  let offset = 12;
  for (let length = packet[offset] ?? 0; length > 0; length = packet[offset] ?? 0) {
    labels.push(packet.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  const number = packet.readUInt16BE(offset + 1);
  const names = Object.entries(TYPE_NUMBERS) as [TypeName, number][]; // the keys of a literal
  const type = names.find(([, one]) => one === number)?.[0] ?? 'OTHER';
  return { id: packet.readUInt16BE(0), name: labels.join('.'), type, raw: packet.subarray(12, offset + 5) };
}

export interface DnsReply {
  rcode?: Rcode;
  /** The data of each record, all of the type that was asked. */
  records?: Buffer[];
  /** Answer over UDP with TC and no records, so that the question is asked again over TCP. */
  truncated?: boolean;
}

export function writeReply(question: DnsQuestion, reply: DnsReply, overTcp: boolean): Buffer {
  const { rcode = 'NOERROR', records = [], truncated = false } = reply;
  const isCut = truncated && !overTcp;
  const answers = isCut ? [] : records;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(question.id, 0);
  header.writeUInt16BE(0x8580 | (isCut ? 0x0200 : 0) | RCODES[rcode], 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  const type = question.type === 'OTHER' ? 0 : TYPE_NUMBERS[question.type];
  return Buffer.concat([header, question.raw, ...answers.map((data) => record(type, data))]);
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // the name of the question
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

const u16 = (...values: number[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => buffer.writeUInt16BE(value, index * 2));
  return buffer;
};
const u32 = (...values: number[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => buffer.writeUInt32BE(value, index * 4));
  return buffer;
};
const string = (text: string): Buffer => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
const name = (text: string): Buffer =>
  Buffer.concat([...text.split('.').filter(Boolean).map(string), Buffer.from([0])]);

/** Record data by type. */
export const data = {
  name,
  a: (address: string): Buffer => Buffer.from(address.split('.').map(Number)),
  aaaa: (...groups: number[]): Buffer => u16(...groups),
  mx: (preference: number, exchange: string): Buffer => Buffer.concat([u16(preference), name(exchange)]),
  txt: (...strings: string[]): Buffer => Buffer.concat(strings.map(string)),
  soa: (mname: string, rname: string, ...times: number[]): Buffer =>
    Buffer.concat([name(mname), name(rname), u32(...times)]),
  srv: (priority: number, weight: number, port: number, target: string): Buffer =>
    Buffer.concat([u16(priority, weight, port), name(target)]),
  caa: (flags: number, tag: string, value: string): Buffer =>
    Buffer.concat([Buffer.from([flags]), string(tag), Buffer.from(value)]),
  naptr: (order: number, preference: number, flags: string, service: string, regexp: string, replacement: string) =>
    Buffer.concat([u16(order, preference), string(flags), string(service), string(regexp), name(replacement)]),
};

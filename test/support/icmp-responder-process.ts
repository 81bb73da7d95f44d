/** Runs inside a network namespace whose kernel answers no echo requests, and answers them as a test says. */
import raw from 'raw-socket';
import { icmpV4, icmpV6, ipV4, ipV6 } from './icmp-forge.ts';
import type { Answer, FromResponder, ToResponder } from './icmp-responder.ts';

const IP_HDRINCL = 3;
const IPV6_HDRINCL = 36;

const rules = new Map<string, Answer[]>();
const say = (message: FromResponder): void => void process.send?.(message);

function open(protocol: number, addressFamily: number, seen: (packet: Buffer, source: string) => void) {
  const { wrap } = raw.createSocket({ protocol, addressFamily });
  const buffer = Buffer.alloc(4096);
  wrap.removeAllListeners();
  wrap.on('recvReady', () => {
    wrap.recv(buffer, (_, bytes, source) => seen(Buffer.from(buffer.subarray(0, bytes)), source));
  });
  return wrap;
}

const v4 = open(1, 1, (packet) => {
  const request = packet.subarray(20);
  if (request[0] !== 8) return;
  asked(packet.subarray(12, 16).join('.'), packet.subarray(16, 20).join('.'), request);
});
const v6 = open(58, 2, (request, source) => {
  // The kernel does not say to whom an ICMPv6 packet was: tests ask ::1 only.
  if (request[0] === 128) asked(source, '::1', request);
});
v4.setOption(0, IP_HDRINCL, 1);
v6.setOption(41, IPV6_HDRINCL, 1);

function asked(from: string, to: string, request: Buffer): void {
  say({ kind: 'asked', from, to, identifier: request.readUInt16BE(4), sequence: request.readUInt16BE(6) });
  for (const answer of rules.get(to) ?? []) {
    const packet = to.includes(':') ? answerV6(answer, from, to, request) : answerV4(answer, from, to, request);
    setTimeout(
      () => (to.includes(':') ? v6 : v4).send(packet, 0, packet.length, from, () => undefined),
      answer.afterMs ?? 0,
    );
  }
}

/** The rest of the message after its checksum: a reply repeats the request's, an error quotes the packet. */
function restOf(answer: Answer, quoted: Buffer, request: Buffer): Buffer {
  const rest = answer.error
    ? Buffer.concat([Buffer.alloc(4), quoted.subarray(0, answer.error.quoteBytes ?? quoted.length)])
    : Buffer.from(request.subarray(4));
  // Offsets count from the identifier on, in the quoted packet from its IP header on.
  for (const at of answer.flip ?? []) rest.writeUInt8(rest.readUInt8(at) ^ 0xff, at);
  return rest.subarray(0, answer.restBytes ?? rest.length);
}

function answerV4(answer: Answer, from: string, to: string, request: Buffer): Buffer {
  const { type, code, quoteFrom, quoteTo } = { type: 0, code: 0, quoteFrom: from, quoteTo: to, ...answer.error };
  const message = icmpV4(type, code, restOf(answer, ipV4(quoteFrom, quoteTo, request), request));
  return ipV4(answer.from ?? to, from, checked(answer, message));
}

function answerV6(answer: Answer, from: string, to: string, request: Buffer): Buffer {
  const { type, code, quoteFrom, quoteTo } = { type: 129, code: 0, quoteFrom: from, quoteTo: to, ...answer.error };
  const source = answer.from ?? to;
  const message = icmpV6(type, code, restOf(answer, ipV6(quoteFrom, quoteTo, request), request), source, from);
  return ipV6(source, from, checked(answer, message));
}

function checked(answer: Answer, message: Buffer): Buffer {
  if (answer.breakChecksum) message.writeUInt16BE(message.readUInt16BE(2) ^ 0x0101, 2);
  return message;
}

process.on('disconnect', () => process.exit(0));
process.on('message', (message) => {
  // The test's own end of the channel speaks here.
  const { key, to, answers } = message as ToResponder;
  rules.set(to, answers);
  say({ kind: 'ready', key });
});
say({ kind: 'ready', key: 0 });

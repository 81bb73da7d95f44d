import type { CaaRecord, MxRecord, NaptrRecord, SoaRecord, SrvRecord } from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { RecordType } from '../../core/type-data.ts';
import { ip6Groups } from './ip6.ts';

/**
 * Asks for the records of one type and gives each as the text that is compared (reference §3): A, AAAA the address;
 * CNAME, NS, PTR the name; MX the exchange without its preference; the others as a zone file writes them, parts
 * separated by one space: SRV `priority weight port target`, SOA `mname rname serial refresh retry expire minimum`,
 * CAA `flags tag value`, NAPTR `order preference flags service regexp replacement`. A TXT record of several strings
 * gives two texts, its strings joined without (RFC 7208 3.3) and with a space: either may be expected.
 *
 * PTR of an IP literal asks for its name under in-addr.arpa (RFC 1035 3.5) or ip6.arpa (RFC 3596 2.5).
 */
export async function askRecords(resolver: Resolver, name: string, type: RecordType): Promise<string[]> {
  const ask = QUESTIONS[type];
  return ask(resolver, type === 'PTR' ? reverseName(name) : name);
}

const QUESTIONS: Record<RecordType, (resolver: Resolver, name: string) => Promise<string[]>> = {
  A: (resolver, name) => resolver.resolve4(name),
  AAAA: (resolver, name) => resolver.resolve6(name),
  CAA: async (resolver, name) => (await resolver.resolveCaa(name)).map(caaText),
  CNAME: (resolver, name) => resolver.resolveCname(name),
  MX: async (resolver, name) => (await resolver.resolveMx(name)).map((record: MxRecord) => record.exchange),
  NAPTR: async (resolver, name) => (await resolver.resolveNaptr(name)).map(naptrText),
  NS: (resolver, name) => resolver.resolveNs(name),
  PTR: (resolver, name) => resolver.resolvePtr(name),
  SOA: async (resolver, name) => [soaText(await resolver.resolveSoa(name))],
  SRV: async (resolver, name) => (await resolver.resolveSrv(name)).map(srvText),
  TXT: async (resolver, name) => (await resolver.resolveTxt(name)).flatMap(txtTexts),
};

/** node:dns gives the flags as `critical` and the value under the name of its tag. */
function caaText({ critical, ...tags }: CaaRecord): string {
  const [[tag, value] = ['', '']] = Object.entries(tags).filter(([name]) => name !== 'type');
  return [critical, tag, value].join(' ');
}

function naptrText(record: NaptrRecord): string {
  const { order, preference, flags, service, regexp, replacement } = record;
  return [order, preference, flags, service, regexp, replacement].join(' ');
}

function soaText({ nsname, hostmaster, serial, refresh, retry, expire, minttl }: SoaRecord): string {
  return [nsname, hostmaster, serial, refresh, retry, expire, minttl].join(' ');
}

function srvText({ priority, weight, port, name }: SrvRecord): string {
  return [priority, weight, port, name].join(' ');
}

function txtTexts(strings: string[]): string[] {
  return strings.length > 1 ? [strings.join(''), strings.join(' ')] : strings;
}

/** The name under which an address's PTR record stands; a name is left as it is. */
export function reverseName(host: string): string {
  switch (isIP(host)) {
    case 4:
      return `${host.split('.').reverse().join('.')}.in-addr.arpa`;
    case 6:
      return `${[...hexDigits(host)].reverse().join('.')}.ip6.arpa`;
    default:
      return host;
  }
}

function hexDigits(address: string): string {
  return ip6Groups(address)
    .map((group) => group.toString(16).padStart(4, '0'))
    .join('');
}

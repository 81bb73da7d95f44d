import { BlockList, isIP } from 'node:net';
import { ip6Groups } from './probes/ip6.ts';
import type { Resolve } from './probes/target.ts';

/** What an owner may allow or deny (architecture, "What an agent may be told to do"). Everything else is allowed. */
export const ADDRESS_CLASSES = ['loopback', 'link-local', 'multicast', 'broadcast', 'private'] as const;
export type AddressClass = (typeof ADDRESS_CLASSES)[number];

/** Private ranges are the owner's switch; the others reach into the agent's own host or shout into its network. */
export const DEFAULT_ALLOW: readonly AddressClass[] = ['private'];

/**
 * The ranges of each class, the first class that holds an address wins. Loopback RFC 1122 3.2.1.3, RFC 4291 2.5.3;
 * `this network` (RFC 1122 3.2.1.3) and `::` reach the own host when connected to, so they go with broadcast.
 * Link-local RFC 3927, RFC 4291 2.5.6, and the metadata address that clouds put into a ULA. Private RFC 1918, RFC 6598,
 * RFC 4193, site-local addresses (RFC 3879), and what a network translates for itself (RFC 8215), wherever that leads.
 */
const RANGES: Record<AddressClass, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  broadcast: ['255.255.255.255/32', '0.0.0.0/8', '::/128'],
  private: [
    '10.0.0.0/8',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '100.64.0.0/10',
    'fc00::/7',
    'fec0::/10',
    '64:ff9b:1::/48',
  ],
};

const LISTS = ADDRESS_CLASSES.map((name) => ({ name, list: blockList(RANGES[name]) }));

interface Carrier {
  list: BlockList;
  /** The first of the four bytes in the IPv6 address. */
  firstByte: number;
  /** Each of them is inverted. */
  isInverted?: true;
  /** Other places are in use, too: three zeros at the end mean one of those. */
  isUsual?: true;
}

/** Prefixes that carry an IPv4 address, and where. */
const CARRIERS: readonly Carrier[] = [
  { list: blockList(['::ffff:0:0/96']), firstByte: 12 }, // mapped, RFC 4291 2.5.5.2
  { list: blockList(['::ffff:0:0:0/96']), firstByte: 12 }, // translated, RFC 2765 2.1
  { list: blockList(['::/96']), firstByte: 12 }, // compatible, RFC 4291 2.5.5.1
  { list: blockList(['64:ff9b::/96']), firstByte: 12 }, // NAT64, RFC 6052 2.1
  { list: blockList(['64:ff9b:1::/48']), firstByte: 12, isUsual: true }, // a network's own NAT64, RFC 8215, RFC 6052 2.2
  { list: blockList(['2002::/16']), firstByte: 2 }, // 6to4, RFC 3056 2
  { list: blockList(['2001::/32']), firstByte: 4 }, // the server of Teredo, RFC 4380 4
  { list: blockList(['2001::/32']), firstByte: 12, isInverted: true }, // and its client
];

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    list.addSubnet(net, Number(bits), isIP(net) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/**
 * The class of an address (a zone index is ignored); null for one that is none of the classes: the public network. An
 * address that carries others is the first class that holds it or one of them.
 */
export function classifyAddress(address: string): AddressClass | null {
  const [plain = ''] = address.split('%', 1);
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  const direct = LISTS.find(({ list }) => list.check(plain, family))?.name;
  const inner = family === 'ipv6' ? innerAddresses(plain).map(classifyAddress) : [];
  return ADDRESS_CLASSES.find((name) => name === direct || inner.includes(name)) ?? null;
}

/** The IPv4 addresses that an IPv6 address stands for. */
function innerAddresses(address: string): string[] {
  const bytes = ip6Groups(address).flatMap((group) => [group >> 8, group & 0xff]);
  return CARRIERS.flatMap(({ list, firstByte, isInverted, isUsual }) => {
    if (!list.check(address, 'ipv6')) return [];
    const inner = bytes.slice(firstByte, firstByte + 4).map((byte) => (isInverted ? byte ^ 0xff : byte));
    return isUsual && inner.slice(1).every((byte) => byte === 0) ? [] : [inner.join('.')];
  });
}

/** Wraps a resolution so that an address the owner does not allow is a problem of this agent (`policy`). */
export function guardResolve(resolve: Resolve, allow: readonly AddressClass[]): Resolve {
  return async (host, signal) => {
    const target = await resolve(host, signal);
    if (target.kind !== 'address') return target;
    const found = classifyAddress(target.address);
    if (found === null || allow.includes(found)) return target;
    const named = target.address === host.host ? target.address : `${host.host} (${target.address})`;
    const detail = `the owner of this agent does not allow ${found} addresses: ${named}`;
    return { kind: 'problem', reason: 'policy', detail, cause: 'AGENT' };
  };
}

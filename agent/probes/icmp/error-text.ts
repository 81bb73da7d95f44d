import type { Family } from './address.ts';

/** RFC 792, RFC 1122 3.2.2.1 and RFC 1812 5.2.7.1; key: type/code. */
const TEXT_V4: Record<string, string> = {
  '3/0': 'network unreachable',
  '3/1': 'host unreachable',
  '3/2': 'protocol unreachable',
  '3/3': 'port unreachable',
  '3/4': 'fragmentation needed',
  '3/5': 'source route failed',
  '3/6': 'destination network unknown',
  '3/7': 'destination host unknown',
  '3/8': 'source host isolated',
  '3/9': 'network administratively prohibited',
  '3/10': 'host administratively prohibited',
  '3/11': 'network unreachable for type of service',
  '3/12': 'host unreachable for type of service',
  '3/13': 'communication administratively prohibited',
  '3/14': 'host precedence violation',
  '3/15': 'precedence cutoff in effect',
  '11/0': 'time to live exceeded in transit',
  '11/1': 'fragment reassembly time exceeded',
};

/** RFC 4443 section 3. */
const TEXT_V6: Record<string, string> = {
  '1/0': 'no route to destination',
  '1/1': 'communication administratively prohibited',
  '1/2': 'beyond scope of source address',
  '1/3': 'address unreachable',
  '1/4': 'port unreachable',
  '1/5': 'source address failed policy',
  '1/6': 'route to destination rejected',
  '1/7': 'error in source routing header',
  '2/0': 'packet too big',
  '3/0': 'hop limit exceeded in transit',
  '3/1': 'fragment reassembly time exceeded',
  '4/0': 'erroneous header field',
  '4/1': 'unrecognised next header',
  '4/2': 'unrecognised option',
};

/** An ICMP error for a person: "host unreachable (ICMP 3/1 from 192.0.2.1)". */
export function icmpErrorText(family: Family, type: number, code: number, from: string): string {
  const name = family === 4 ? 'ICMP' : 'ICMPv6';
  const text = (family === 4 ? TEXT_V4 : TEXT_V6)[`${type}/${code}`] ?? 'unreachable';
  return `${text} (${name} ${type}/${code} from ${from})`;
}

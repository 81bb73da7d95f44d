/**
 * The eight 16-bit groups of an IPv6 address in any of its forms (RFC 4291 2.2), a zone index left out. The URL parser
 * is the standard library's way to the canonical form.
 */
export function ip6Groups(address: string): number[] {
  const canonical = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
  const [head = [], tail = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = new Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => parseInt(group, 16));
}

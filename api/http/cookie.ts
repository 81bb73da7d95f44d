/** The value of the first cookie of that name, as it was sent (RFC 6265, 5.4); undefined where it is absent or empty. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const prefix = `${name}=`;
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || undefined;
}

import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** How long what a file said is used before it is read again. */
const FRESH_MS = 2000;

/** Names and their addresses, names in lower case (hosts(5)). */
export type HostsTable = ReadonlyMap<string, readonly string[]>;

/** Parses hosts(5): an address and its names on a line, `#` begins a comment; lines without an address are skipped. */
export function parseHosts(text: string): HostsTable {
  const table = new Map<string, string[]>();
  for (const [address = '', ...names] of wordsOfLines(text)) {
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      table.set(key, [...(table.get(key) ?? []), address]);
    }
  }
  return table;
}

/** How short names are completed (resolv.conf(5)). */
export interface SearchRule {
  domains: readonly string[];
  /** A name with at least this many dots is asked as it stands first. */
  ndots: number;
}

/** Parses `search`, `domain` (the last one counts) and `options ndots:n` of resolv.conf(5). */
export function parseSearch(text: string): SearchRule {
  let rule: SearchRule = { domains: [], ndots: 1 };
  for (const [keyword, ...values] of wordsOfLines(text)) {
    if (keyword === 'search') rule = { ...rule, domains: values };
    if (keyword === 'domain') rule = { ...rule, domains: values.slice(0, 1) };
    const ndots = keyword === 'options' && values.find((value) => /^ndots:\d+$/.test(value));
    if (ndots) rule = { ...rule, ndots: Math.min(Number(ndots.slice('ndots:'.length)), 15) };
  }
  return rule;
}

/** The full names a name stands for, in the order they are asked; a trailing dot says that it is full already. */
export function candidateNames(name: string, { domains, ndots }: SearchRule): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const completed = domains.map((domain) => (domain === '.' ? name : `${name}.${domain.replace(/\.$/, '')}`));
  const dots = name.split('.').length - 1;
  return [...new Set(dots >= ndots ? [name, ...completed] : [...completed, name])];
}

function wordsOfLines(text: string): string[][] {
  const lines = text.split('\n').map((line) => line.replace(/[#;].*$/, '').trim());
  return lines.filter((line) => line !== '').map((line) => line.split(/\s+/));
}

/**
 * Reads a file through `parse`, at most once in two seconds. A file that is not there is empty; any other error
 * rejects (no descriptor, say: what stands in the file is then unknown, not nothing).
 */
export function cachedFile<T>(path: string, parse: (text: string) => T): () => Promise<T> {
  let known: { value: Promise<T>; readAtMs: number } | undefined;
  return () => {
    if (known === undefined || performance.now() - known.readAtMs > FRESH_MS) {
      const value = readText(path).then(parse);
      known = { value, readAtMs: performance.now() };
      value.catch(() => (known = undefined));
    }
    return known.value;
  };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

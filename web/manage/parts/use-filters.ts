import { useLocation } from 'preact-iso';

/** A list's filters; they stand in the address, so that whoever comes back finds them as they were. */
export function useFilters<Name extends string>(
  names: readonly Name[],
): [values: Record<Name, string>, set: (part: Partial<Record<Name, string>>) => void] {
  const { path, query, route } = useLocation();
  // Every name gets its value.
  const values = Object.fromEntries(names.map((name) => [name, query[name] ?? ''])) as Record<Name, string>;
  const set = (part: Partial<Record<Name, string>>): void => {
    const next = new URLSearchParams();
    for (const name of names) {
      const value = part[name] ?? values[name];
      if (value !== '') next.set(name, value);
    }
    route(next.size === 0 ? path : `${path}?${next}`, true);
  };
  return [values, set];
}

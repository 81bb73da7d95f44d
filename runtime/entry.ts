/** What starts a sibling module in a worker thread or child process. */
export interface Entry {
  url: URL;
  /** Node options the sibling needs: a loader when run from TypeScript source, none when compiled. */
  execArgv: string[];
}

/**
 * Finds the sibling module `name` (no extension) of the module at `from` (its import.meta.url), as source beside
 * source and compiled beside compiled.
 */
export function siblingEntry(from: string, name: string): Entry {
  const source = from.endsWith('.ts');
  return { url: new URL(`${name}.${source ? 'ts' : 'js'}`, from), execArgv: source ? ['--import', 'tsx'] : [] };
}

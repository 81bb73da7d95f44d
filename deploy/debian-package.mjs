// A program from the distribution's packages without installing anything: an installed package would start a system
// service, and an ordinary user may not install. apt runs with lists and cache of our own, so it needs no rights.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './child.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const STORE = join(root, '.farwatch');

/** Where unpacked packages stand, with the folders of a system below: usr/bin, usr/sbin, ... */
export const TOOLS = join(STORE, 'tools');

/**
 * Unpacks the distribution's package `name` below `.farwatch/tools`, with `needs` also what it needs and this machine does
 * not have installed; false where there is no apt or no such package.
 */
export async function unpackDebianPackage(name, { needs = false } = {}) {
  if (!existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg-deb')) return false;
  mkdirSync(STORE, { recursive: true });
  const work = mkdtempSync(join(STORE, 'apt-'));
  try {
    for (const folder of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(work, folder), { recursive: true });
    const options = [
      ['Dir::State::lists', join(work, 'lists')],
      ['Dir::Cache', join(work, 'cache')],
      ['Debug::NoLocking', '1'],
      ['APT::Sandbox::User', ''],
    ].flatMap(([key, value]) => ['-o', `${key}=${value}`]);
    const apt = (...args) => runToEnd('/usr/bin/apt-get', ['-qq', ...options, ...args], { cwd: work });
    // One source of several may be away; what counts is whether the package can be had.
    await apt('update');
    const names = needs ? [name, ...missingNeeds(name, options)] : [name];
    if ((await apt('download', ...new Set(names))) !== 0) return false;
    const archives = readdirSync(work).filter((file) => file.endsWith('.deb'));
    for (const archive of archives)
      if ((await runToEnd('/usr/bin/dpkg-deb', ['-x', join(work, archive), TOOLS])) !== 0) return false;
    return archives.length > 0;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What an installation would bring along, as apt says it would: lines that begin with `Inst`. */
function missingNeeds(name, options) {
  const args = ['-qq', ...options, 'install', '--simulate', '--no-install-recommends', name];
  const { stdout } = spawnSync('/usr/bin/apt-get', args, { encoding: 'utf8' });
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, needed]) => needed);
}

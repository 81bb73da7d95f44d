// Brings node_modules in line with package-lock.json, with `npm ci`, and only when it is not.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './child.mjs';
import { headersPrefix } from './native-headers.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAMP = join(root, 'node_modules/.farwatch-stamp');

/** True when node_modules is as it should be; false, after a line that says why, when it could not be made so. */
export async function installPackages() {
  const stamp = wantedStamp();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return true;
  if (!installedByHand()) {
    if (!hasBuildTools()) return false;
    console.log('installing npm packages');
    if ((await npmCi()) !== 0) {
      console.error('npm ci failed: see its lines above');
      return false;
    }
  }
  writeFileSync(STAMP, stamp);
  return true;
}

/** Native modules belong to one Node ABI and platform, so these count as much as the lock file. */
function wantedStamp() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.versions.modules} ${process.platform} ${process.arch}`)
    .digest('hex');
}

/** Somebody ran npm here already: every package stands in its locked version and the native one loads. */
function installedByHand() {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  const locked = Object.entries(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages);
  const complete = locked.every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
  return complete && rawSocketLoads();
}

function rawSocketLoads() {
  try {
    const path = createRequire(import.meta.url).resolve('raw-socket');
    return spawnSync(process.execPath, ['-e', `require(${JSON.stringify(path)})`]).status === 0;
  } catch {
    // Not there at all.
    return false;
  }
}

function hasBuildTools() {
  const runs = (...programs) => programs.some((program) => spawnSync(program, ['--version']).status === 0);
  const missing = [
    [process.env.CXX ?? 'c++', 'g++', 'clang++'],
    ['make', 'gmake'],
    [process.env.PYTHON ?? 'python3', 'python'],
  ].filter((choices) => !runs(...choices));
  if (missing.length === 0) return true;
  const names = missing.map(([first]) => first).join(', ');
  console.error(`missing: ${names}. One npm package is compiled here: install a C++ compiler, make and python3`);
  return false;
}

async function npmCi() {
  // Run by npm, we use that very npm on this very Node; else the one from PATH.
  const path = process.env.npm_execpath;
  const npm = path?.endsWith('.js') ? { file: process.execPath, args: [path] } : { file: 'npm', args: [] };
  const headers = await headersPrefix(npm);
  if (headers === null) console.log('no headers beside this Node: the compiler will look for them by itself');
  const args = ['ci', '--include=dev', '--include=optional', '--ignore-scripts=false', '--no-audit', '--no-fund'];
  return runToEnd(npm.file, [...npm.args, ...args, '--loglevel=error'], {
    cwd: root,
    env: { ...process.env, ...(headers === null ? {} : { npm_config_nodedir: headers }) },
  });
}

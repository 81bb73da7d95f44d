// What `npm start` and `npm test` run first, also on a fresh clone: everything the project needs and the machine lacks.
// Plain JavaScript over Node's own modules, since nothing else is there yet.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { TOOLS, unpackDebianPackage } from './debian-package.mjs';
import { installPackages } from './packages.mjs';

/** Brings everything up to date; ends the process with 1, after one clear line, where that cannot be done. */
export async function setUp() {
  const ready = checkNode() && (await installPackages()) && (await provideNatsServer());
  if (!ready) process.exit(1);
  build();
}

/** What only tests need; a test that misses it says so. */
async function provideBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const installed = folders.flatMap((folder) => BROWSERS.map((name) => join(folder, name)));
  if ([...installed, join(TOOLS, 'usr/lib/chromium/chromium')].some(isExecutable)) return;
  console.log('no Chromium here: unpacking the one of the distribution into .farwatch/tools');
  if (await unpackDebianPackage('chromium', { needs: true })) return;
  console.error('no Chromium: tests of pages will fail until one is in PATH');
}

/** With it the fault runner steps the clocks of programs; without it says that it does not. */
async function provideFalseClock() {
  const places = ['x86_64', 'aarch64'].map((machine) => `usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`);
  // Where test/faults/false-clock.ts looks too.
  if (places.some((place) => existsSync(join('/', place)) || existsSync(join(TOOLS, place)))) return;
  if (await unpackDebianPackage('libfaketime')) return;
  console.log('no libfaketime: the fault runner will leave clocks alone');
}

/** Where tests look too (test/support/browser.ts). */
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function checkNode() {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const running = process.versions.node.split('.').map(Number);
  const fits = engines.node.split('||').some((range) => {
    const [major, minor, patch] = range.trim().replace('^', '').split('.').map(Number);
    const [runs, minorRuns, patchRuns] = running;
    return runs === major && (minorRuns > minor || (minorRuns === minor && patchRuns >= patch));
  });
  if (!fits) console.error(`Node ${process.versions.node} does not fit: this project needs ${engines.node}`);
  return fits;
}

/** Where the launcher looks too (deploy/local/nats-binary.ts). */
function findNatsServer() {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/sbin', '/usr/local/sbin'];
  return [...folders, join(TOOLS, 'usr/sbin')].map((folder) => join(folder, 'nats-server')).find(isExecutable);
}

async function provideNatsServer() {
  if (process.env.NATS_URL || findNatsServer() !== undefined) return true;
  console.log('no nats-server here: unpacking the one of the distribution into .farwatch/tools');
  if ((await unpackDebianPackage('nats-server')) && findNatsServer() !== undefined) return true;
  console.error('no nats-server: install one so that it is in PATH (https://nats.io), or set NATS_URL to a server');
  return false;
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // accessSync has no other way to say no.
    return false;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setUp();
  if (process.argv.includes('--tests')) {
    await provideBrowser();
    await provideFalseClock();
  }
}

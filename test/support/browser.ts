import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { projectRoot } from '../../deploy/local/project-root.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const TOOLS = join(projectRoot(), '.farwatch/tools');
/** Where `deploy/setup.mjs` unpacks it, with what it needs beside it. */
const UNPACKED = join(TOOLS, 'usr/lib/chromium/chromium');

/**
 * Starts the Chromium of this machine, without a window. No name but localhost is resolved in it, and no other address is
 * a test's business: it asks nobody for anything. The caller closes it.
 */
export async function openBrowser(): Promise<Browser> {
  const installed = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
  if (installed === undefined && !existsSync(UNPACKED))
    throw new Error('no Chromium here: install one so that it is in PATH, or run `npm run setup -- --tests`');
  return chromium.launch({
    executablePath: installed ?? UNPACKED,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1', '--disable-dev-shm-usage'],
    env: {
      ...process.env,
      ...(installed === undefined && {
        LD_LIBRARY_PATH: unpackedLibraries().join(delimiter),
        FONTCONFIG_PATH: join(TOOLS, 'etc/fonts'),
        XDG_DATA_HOME: join(TOOLS, 'usr/share'),
      }),
    },
  });
}

/** Every folder with shared libraries: an installed package finds its private ones by their absolute paths. */
function unpackedLibraries(): string[] {
  const entries = ['usr/lib', 'lib'].flatMap((folder) => {
    const path = join(TOOLS, folder);
    return existsSync(path) ? readdirSync(path, { recursive: true, withFileTypes: true }) : [];
  });
  return [...new Set(entries.filter(({ name }) => /\.so(\.|$)/.test(name)).map(({ parentPath }) => parentPath))];
}

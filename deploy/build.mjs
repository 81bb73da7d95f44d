// Compiles the programs to dist/, copies what tsc leaves behind (.sql, .proto) and bundles what browsers load. Does
// nothing when dist/ is newer than every source. Only Node's own modules: it runs before anything else is known to work.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = ['core', 'proto', 'identity', 'runtime', 'db', 'agent', 'collector', 'api', 'web', 'cli', 'deploy'];
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'vite.config.ts'];
const COPIED = new Set(['.sql', '.proto']);

/** Builds dist/ if it is not up to date; ends the process where the compiler fails. */
export function build() {
  const files = SOURCES.flatMap((folder) => filesIn(folder));
  const stamp = fingerprint([...files, ...SETTINGS]);
  const stampFile = join(root, 'dist/.stamp');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const fresh = join(root, '.farwatch', `dist.${process.pid}`);
  try {
    run('the programs do not compile', 'typescript/bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', fresh]);
    run('the pages do not compile', 'vite/bin/vite.js', ['build', '--outDir', join(fresh, 'web/assets')]);
    for (const file of files.filter((name) => COPIED.has(extname(name)))) {
      mkdirSync(dirname(join(fresh, file)), { recursive: true });
      cpSync(join(root, file), join(fresh, file));
    }
    writeFileSync(join(fresh, '.stamp'), stamp);
    putInPlace(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Two builds at once make the same: whichever comes first, one of them stands whole. */
function putInPlace(fresh) {
  const dist = join(root, 'dist');
  const old = `${fresh}.old`;
  if (existsSync(dist)) renameSync(dist, old);
  try {
    renameSync(fresh, dist);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

/** Runs a tool of an installed package; ends the process, after saying why, where it fails. */
function run(complaint, tool, args) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', tool), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) {
    console.error(complaint);
    process.exit(1);
  }
}

function filesIn(folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const name = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(name) : [name];
  });
}

/** Names, sizes and times of all files: cheap, and changes with every edit. */
function fingerprint(files) {
  const hash = createHash('sha256').update(process.version);
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file}\n${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) build();

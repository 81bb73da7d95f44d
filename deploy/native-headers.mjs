// Node's C++ headers for native modules. node-gyp would fetch them from outside the registries.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './child.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const hasHeaders = (prefix) => existsSync(join(prefix, 'include/node/node.h'));

/**
 * The prefix whose include/node/ fits the running Node: the one it was installed in, else that of the npm package
 * which carries this very version, put under `.farwatch`. Null where neither is there.
 */
export async function headersPrefix(npm) {
  const beside = join(dirname(process.execPath), '..');
  if (hasHeaders(beside)) return beside;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const prefix = join(root, '.farwatch/headers', process.versions.node);
  const found = join(prefix, 'node_modules', name);
  if (hasHeaders(found)) return found;
  console.log(`fetching the headers of Node ${process.versions.node} from the npm package ${name}`);
  const wanted = `${name}@${process.versions.node}`;
  await runToEnd(npm.file, [...npm.args, 'install', '--prefix', prefix, '--ignore-scripts', '--no-save', wanted]);
  return hasHeaders(found) ? found : null;
}

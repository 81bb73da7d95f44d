import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds what is not built: system tests run the compiled programs as production does, browsers load bundles. */
export default function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../deploy/build.mjs', import.meta.url))], {
    stdio: 'inherit',
  });
}

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** System tests run the compiled programs, as production does. */
export default function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../deploy/build.mjs', import.meta.url))], {
    stdio: 'inherit',
  });
}

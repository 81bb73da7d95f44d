import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';

/** The one line that lets PING work, or null where raw sockets can be opened already. */
export function rawSocketAdvice(): string | null {
  const path = createRequire(import.meta.url).resolve('raw-socket');
  const attempt = `require(${JSON.stringify(path)}).createSocket({ protocol: 1 }).close()`;
  if (spawnSync(process.execPath, ['-e', attempt], { stdio: 'ignore' }).status === 0) return null;
  const node = realpathSync(process.execPath);
  return `PING stays UNKNOWN without raw sockets; to allow them: sudo setcap cap_net_raw+ep ${node} (and start again)`;
}

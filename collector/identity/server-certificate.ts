import type { Authority } from '../../identity/certificates.ts';
import { COLLECTOR_NAME } from '../../proto/server-names.ts';
import type { ServerTls } from '../../proto/tls-listener.ts';
import type { Logger } from '../../runtime/logger.ts';
import { sleep } from '../../runtime/time.ts';

const DAY_MS = 86_400_000;
const LIFETIME_MS = 90 * DAY_MS;

/** A certificate for this collector, which lives in memory only: each process makes its own. */
export async function issueServerTls(authority: Authority): Promise<ServerTls> {
  const { certificate, key } = await authority.issueServer(COLLECTOR_NAME, LIFETIME_MS);
  return { certificate, key, authority: authority.certificate };
}

/** Replaces it every day until the signal aborts. */
export async function keepServerTls(
  authority: Authority,
  use: (tls: ServerTls) => void,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(DAY_MS, signal);
    if (signal.aborted) return;
    use(await issueServerTls(authority));
    logger.info('server certificate renewed');
  }
}

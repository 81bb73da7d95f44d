import { ForeignServerError } from '../../proto/enrolment.ts';
import { StreamEnd } from '../../proto/stream-end.ts';
import type { Logger } from '../../runtime/logger.ts';
import { createBackoff, sleep } from '../../runtime/time.ts';
import type { AgentIdentity } from './identity-file.ts';

/** Tries until a collector answers. A refusal is final. */
export async function enrolUntilDone(
  enrol: () => Promise<AgentIdentity>,
  logger: Logger,
): Promise<AgentIdentity | { refused: string }> {
  const backoff = createBackoff(200, 5000);
  for (;;) {
    try {
      const identity = await enrol();
      logger.info({ name: identity.name, region: identity.region }, 'enrolled');
      return identity;
    } catch (error) {
      const refused = explainRefusal(error);
      if (refused !== null) return { refused };
      logger.warn({ err: error }, 'not enrolled yet');
      await sleep(backoff.next(), new AbortController().signal);
    }
  }
}

/** Why trying again with the same invitation is of no use; null: it may be. */
export function explainRefusal(error: unknown): string | null {
  if (error instanceof ForeignServerError) return error.message;
  if (!(error instanceof StreamEnd)) return null;
  const isFinal = error.code === 'PERMISSION_DENIED' || error.code === 'INVALID_ARGUMENT';
  return isFinal ? `the collector refuses: ${error.message}` : null;
}

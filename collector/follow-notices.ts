import { listen } from '../db/notifications.ts';
import type { Logger } from '../runtime/logger.ts';
import type { DefinitionsPublisher } from './definitions-publisher.ts';
import type { CheckDesk } from './check-desk.ts';
import type { Gate } from './gate.ts';
import type { NatsAccounts } from './identity/nats-accounts.ts';
import type { RevisionBook } from './revision-book.ts';
import type { AgentServer } from './server.ts';

/** Who has it writes the buckets. It saves work only: two writers at once are correct, too. */
const PUBLISHER_LOCK = 7_261_010;

/** Who wants to hear of changes in the database. */
export interface Hearers {
  publisher: DefinitionsPublisher;
  /** Null where NATS asks for no credentials. */
  natsAccounts: Pick<NatsAccounts, 'changed'> | null;
  book: RevisionBook;
  server: Pick<AgentServer, 'checkEnrolment'>;
  purgeDue: Gate;
  checks: CheckDesk;
}

/** Tells everyone what the database notifies, and while it cannot be heard that nothing may be relied upon. */
export async function followNotices(url: string, hearers: Hearers, logger: Logger, signal: AbortSignal): Promise<void> {
  const notices = listen({
    url,
    name: 'farwatch-collector-notices',
    channels: ['farwatch_definitions', 'farwatch_agents', 'farwatch_purges', 'farwatch_check_requests'],
    leaderLock: PUBLISHER_LOCK,
    signal,
    onTrouble: (error) => {
      logger.warn({ err: error }, 'notices of the database are lost');
      hearers.book.trust(false);
      hearers.publisher.lead(false);
    },
  });
  for await (const notice of notices) {
    if (notice.kind === 'leading') hearers.publisher.lead(true);
    else if (notice.kind === 'connected') {
      hearers.book.trust(true);
      hearers.purgeDue.open();
      hearers.natsAccounts?.changed();
      hearers.checks.look(null);
      checkEnrolment(hearers, null, logger);
    } else tell(hearers, notice.channel, Number(notice.payload), logger);
  }
}

function tell(hearers: Hearers, channel: string, id: number, logger: Logger): void {
  switch (channel) {
    case 'farwatch_definitions':
      hearers.book.forget(id);
      return hearers.publisher.changed(id);
    case 'farwatch_agents':
      hearers.publisher.regionsChanged();
      hearers.natsAccounts?.changed();
      return checkEnrolment(hearers, id, logger);
    case 'farwatch_check_requests':
      return hearers.checks.look(id);
    default:
      return hearers.purgeDue.open();
  }
}

/** Does not hold up what is notified next. */
function checkEnrolment({ server }: Hearers, agentId: number | null, logger: Logger): void {
  server.checkEnrolment(agentId).catch((error: unknown) => {
    // The connection that told is about to break as well; when it is back all are checked.
    logger.warn({ err: error }, 'enrolment not checked');
  });
}

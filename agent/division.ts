import { randomUUID } from 'node:crypto';
import type { Logger } from '../runtime/logger.ts';
import type { Checks } from './checks.ts';
import type { DefinitionsFollower } from './definitions.ts';
import type { DivisionFile } from './membership/division-file.ts';
import { MembersLink } from './membership/link.ts';
import { Members } from './membership/members.ts';
import type { Schedule } from './schedule.ts';
import type { ServiceClock } from './service-clock.ts';

export interface DivisionParts {
  region: string;
  agentId: number;
  file: DivisionFile;
  clock: ServiceClock;
  follower: Pick<DefinitionsFollower, 'adopted'>;
  checks: Pick<Checks, 'ability'>;
  schedule: Pick<Schedule, 'divide'>;
  logger: Logger;
}

/** The agent's part in the division of its region, and its way to the others. */
export interface Division {
  members: Members;
  link: MembersLink;
}

/** Joins what an agent can do to what the others say: whatever they agree on goes to the schedule and to the disk. */
export function createDivision(parts: DivisionParts): Division {
  const { region, agentId, file, clock, follower, checks, schedule, logger } = parts;
  const link = new MembersLink(region, agentId, logger);
  const members = new Members({
    session: randomUUID(),
    agentId,
    able: () => {
      const manifest = follower.adopted?.manifest;
      const kinds = checks.ability.kinds();
      // Who does not know the time cannot name a minute.
      if (manifest === undefined || kinds === null || !clock.known) return null;
      return { epoch: manifest.epoch, generation: manifest.generation, kinds };
    },
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    publish: (beat) => link.publish(beat),
    onView: (view) => {
      const agents = view.tenures.map(({ agentId, fromMs, untilMs }) => ({ agentId, fromMs, untilMs }));
      logger.info({ agents }, 'region is divided anew');
      schedule.divide(view);
      file.keep(view).catch((error: unknown) => {
        // The next life then accounts for slots that were others'; their results count more.
        logger.warn({ err: error }, 'division cannot be kept');
      });
    },
  });
  return { members, link };
}

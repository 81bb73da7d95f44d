import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runBus } from '../../../../agent/bus.ts';
import { MembersLink } from '../../../../agent/membership/link.ts';
import { Members } from '../../../../agent/membership/members.ts';
import type { View } from '../../../../agent/membership/view.ts';
import { subjectOfMember } from '../../../../proto/members.ts';
import { createLogger } from '../../../../runtime/logger.ts';
import { monotonicMs } from '../../../../runtime/time.ts';
import { eventually } from '../../../support/eventually.ts';
import { startNats, type TestNats } from '../../../support/nats.ts';

const logger = createLogger('agent', 'silent');

let nats: TestNats;
let bus: NatsConnection;
let end: AbortController;
let running: Promise<void>[];

beforeEach(async () => {
  nats = await startNats();
  bus = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  end = new AbortController();
  running = [];
});

afterEach(async () => {
  end.abort();
  await Promise.all(running);
  await bus.close();
  await nats.stop();
});

interface Member {
  members: Members;
  views: View[];
  link: MembersLink;
}

function join(agentId: number, region = 'eu'): Member {
  const link = new MembersLink(region, agentId, logger);
  const views: View[] = [];
  const members = new Members({
    session: `session-${agentId}`,
    agentId,
    able: () => ({ epoch: 'epoch-1', generation: 1, kinds: ['TCP'] }),
    nowMs: () => Date.now(),
    monotonicMs,
    publish: (beat) => link.publish(beat),
    onView: (view) => views.push(view),
  });
  running.push(runBus({ natsUrl: nats.url, region, logger }, [link], end.signal), link.run(members, end.signal));
  return { members, views, link };
}

function seenBy({ views }: Member): string {
  return (views.at(-1)?.tenures ?? [])
    .map(({ agentId }) => agentId)
    .sort((a, b) => a - b)
    .join();
}

describe('agents on one NATS server', () => {
  it('find each other within their region, and go on where they were after the server was restarted', async () => {
    const [one, two, far] = [join(1), join(2), join(3, 'us')];
    await eventually('both to see both', 20_000, () => seenBy(one) === '1,2' && seenBy(two) === '1,2');
    await eventually('the third to be alone', 20_000, () => seenBy(far) === '3');
    const before = [one.views.length, two.views.length];
    await nats.kill9();
    await new Promise((resolve) => setTimeout(resolve, 8000));
    await nats.restart();
    await eventually('heartbeats again', 20_000, () => one.members.problem() === null && one.members.size === 2);
    expect([one.views.length, two.views.length]).toEqual(before);
  }, 90_000);

  it('heed nothing that is no heartbeat', async () => {
    const one = join(1);
    await eventually('a view', 20_000, () => seenBy(one) === '1');
    bus.publish(subjectOfMember('eu', 2), 'garbage');
    bus.publish(`${subjectOfMember('eu', 2)}x`, '{}');
    bus.publish('farwatch.members.eu.king', '{}');
    await bus.flush();
    const two = join(2);
    await eventually('both to see both', 20_000, () => seenBy(one) === '1,2' && seenBy(two) === '1,2');
  }, 60_000);
});

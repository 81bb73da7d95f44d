import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { floorMinute } from '../../../core/minute.ts';
import { openAgentScene, type AgentScene } from '../../support/agent-scene.ts';
import { eventually } from '../../support/eventually.ts';

const { version: programVersion } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
/** A fixed slot may lie anywhere in the minute's first 45 seconds. */
const ONE_MINUTE_MS = 75_000;

let scene: AgentScene;

beforeEach(async () => {
  scene = await openAgentScene();
});

afterEach(() => scene.end());

describe('an agent', () => {
  it(
    'measures what its region is told to, leaves when it is stopped, and starts again without NATS',
    async () => {
      const { bucket, collector, nats } = scene;
      await bucket.publish(scene.definitions(20), 1);
      const agent = scene.startAgent();
      await eventually(
        () => `each monitor up: ${JSON.stringify(agent.log.slice(-5))} ${agent.stderr()}`,
        ONE_MINUTE_MS,
        () => new Set(collector.results.flatMap((row) => (row.status === 'UP' ? [row.monitorId] : []))).size === 20,
      );
      const minutes = new Set(collector.results.map(({ minute }) => minute));
      expect([...minutes].every((minute) => Math.abs(minute - floorMinute(Date.now() / 1000)) <= 120)).toBe(true);
      expect(collector.results.filter(({ status }) => status === 'DOWN')).toEqual([]);

      const second = scene.startAgent();
      expect(await second.exited).toBe(78);
      expect(second.stderr()).toMatch(/^configuration: FARWATCH_STATE_DIR: another agent runs on .+\n$/);

      agent.kill('SIGTERM');
      expect(await agent.exited).toBe(0);
      expect(collector.leaves).toBe(1);

      await nats.kill9();
      const before = collector.results.length;
      const again = scene.startAgent();
      await eventually(
        () => `results without NATS: ${JSON.stringify(again.log.slice(-5))}`,
        ONE_MINUTE_MS,
        () => collector.results.slice(before).some(({ status }) => status === 'UP'),
      );
    },
    3 * ONE_MINUTE_MS,
  );

  it('says that it can do what it can, and no PING where it may open no raw socket', async () => {
    const { collector } = scene;
    const said = (capabilities: string) => (): boolean => collector.hellos.at(-1)?.capabilities.join() === capabilities;
    // Nobody but root has the right to begin with.
    const by = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-net_raw', '--inh-caps=-net_raw'] : [];
    const agent = scene.startAgent({ by });
    await eventually(() => `a hello without PING: ${JSON.stringify(collector.hellos)}`, 60_000, said('TCP,DNS'));
    await eventually('the reason', 30_000, () => collector.statuses.at(-1)?.problems.join().includes('raw sockets'));
    agent.kill('SIGKILL');
  }, 120_000);

  it('prints every fault of its configuration and exits 78', async () => {
    const more = { COLLECTOR_ADDRESS: 'nowhere', FARWATCH_SPOOL_MIB: '0' };
    const agent = scene.startAgent({ more });
    expect(await agent.exited).toBe(78);
    expect(agent.stderr().split('\n').filter(Boolean).sort()).toEqual([
      'configuration: COLLECTOR_ADDRESS: must be host:port or [ipv6]:port',
      expect.stringMatching(/^configuration: FARWATCH_SPOOL_MIB: /) as unknown,
    ]);
  });

  it('that has an identity starts without the file of its invitation', async () => {
    const agent = scene.startAgent({ more: { FARWATCH_INVITATION_FILE: join(scene.stateDir, 'no.invitation') } });
    await eventually(
      () => `its hello: ${JSON.stringify(agent.log.slice(-5))} ${agent.stderr()}`,
      ONE_MINUTE_MS,
      () => scene.collector.hellos.length > 0,
    );
    expect(scene.collector.hellos).toMatchObject([{ version: programVersion }]);
    agent.kill('SIGTERM');
    expect(await agent.exited).toBe(0);
  });

  it('does not print its invitation', async () => {
    const invitation = `fwi_${'a'.repeat(60)}`;
    const agent = scene.startAgent({ more: { FARWATCH_INVITATION: invitation } });
    expect(await agent.exited).toBe(78);
    expect(agent.stderr()).toContain('configuration: FARWATCH_INVITATION: must be an invitation');
    expect(agent.stderr()).not.toContain('aaaa');
  });
});

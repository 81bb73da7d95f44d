import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';
import { floorMinute, type Minute } from '../../core/minute.ts';
import { openAgentScene, type AgentScene } from '../support/agent-scene.ts';
import { openFailingDisk } from '../support/disk-faults.ts';
import { eventually } from '../support/eventually.ts';
import { faultsOf } from '../support/schedule-faults.ts';

const STEPPED_CLOCK = fileURLToPath(new URL('../support/fixtures/stepped-clock.mjs', import.meta.url));

function thisMinute(): Minute {
  return floorMinute(Date.now() / 1000);
}

/** Waits until everything of the minute, `first` at the earliest, has been delivered, and returns that minute. */
async function wholeMinute({ collector }: AgentScene, first: Minute): Promise<Minute> {
  const minute = Math.max(first, thisMinute());
  await wait((minute + 62) * 1000 - Date.now());
  await eventually('the last results of the minute', 10_000, () =>
    collector.results.some((row) => row.minute === minute),
  );
  await wait(1500);
  return minute;
}

async function inScene(test: (scene: AgentScene) => Promise<void>): Promise<void> {
  const scene = await openAgentScene();
  try {
    await test(scene);
  } finally {
    await scene.end();
  }
}

// Each waits for minutes to pass, so they do it side by side, each in a scene of its own.
describe.concurrent('an agent', () => {
  it(
    'that is killed in the middle of commits has a result, a reason or an absence for each due minute',
    { timeout: 500_000 },
    ({ expect }) =>
      inScene(async (scene) => {
        const definitions = scene.definitions(120);
        await scene.bucket.publish(definitions, 1);
        const { collector } = scene;
        for (const [afterRows, deadMs] of [
          [20, 500],
          [70, 3000],
          [150, 0],
        ] as const) {
          const agent = scene.startAgent();
          const before = collector.results.length;
          await eventually('some results', 75_000, () => collector.results.length >= before + afterRows);
          agent.kill('SIGKILL');
          await agent.exited;
          // The last time it stays dead for a whole minute.
          await wait(deadMs > 0 ? deadMs : (thisMinute() + 121) * 1000 - Date.now());
        }
        scene.startAgent();
        const from = Math.min(...collector.results.map(({ minute }) => minute));
        const to = await wholeMinute(scene, from);
        expect(faultsOf(scene.records(), definitions, from, to)).toEqual([]);
        expect(collector.results.filter(({ status }) => status === 'DOWN')).toEqual([]);
        expect(collector.absences.map(({ reason }) => reason)).toContain('not running');
      }),
  );

  it.for(['ENOSPC', 'EROFS', 'EIO'] as const)(
    'whose disk answers everything with %s for a while says so, misses nothing, and is well again by itself',
    { timeout: 400_000 },
    (kind, { expect }) =>
      inScene(async (scene) => {
        const definitions = scene.definitions(100);
        await scene.bucket.publish(definitions, 1);
        const { collector } = scene;
        const disk = openFailingDisk(scene.stateDir);
        try {
          scene.startAgent({ more: disk.env });
          await eventually('first results', 75_000, () => collector.results.length > 0);
          const from = thisMinute();
          const isTold = (): boolean | undefined =>
            collector.statuses.at(-1)?.problems.some((line) => line.startsWith(`spool cannot be written: ${kind}`));
          disk.fail({ kind });
          await eventually('the problem in its status', 60_000, isTold);
          const failing = await wholeMinute(scene, from + 60);
          expect(isTold()).toBe(true);
          disk.mend();
          await eventually('a status without it', 60_000, () => isTold() === false);
          const to = await wholeMinute(scene, failing + 60);
          expect(faultsOf(scene.records(), definitions, from, to)).toEqual([]);
          expect(collector.results.filter(({ status }) => status === 'DOWN')).toEqual([]);
          const failed = collector.results.filter(({ status, minute }) => status === 'UP' && minute === failing);
          expect(failed).toHaveLength(100);
        } finally {
          disk.close();
        }
      }),
  );

  it.for([
    { step: 'an hour ahead', stepMs: 3_600_000 },
    { step: 'an hour back', stepMs: -3_600_000 },
  ])(
    'whose wall clock steps $step and that stands still for three seconds calls nothing DOWN and misses nothing',
    { timeout: 300_000 },
    ({ stepMs }, { expect }) =>
      inScene(async (scene) => {
        const definitions = scene.definitions(100);
        await scene.bucket.publish(definitions, 1);
        const { collector } = scene;
        const more = {
          NODE_OPTIONS: `--import ${STEPPED_CLOCK}`,
          STEP_CLOCK_MS: String(stepMs),
          STEP_CLOCK_AFTER_MS: '6000',
        };
        const agent = scene.startAgent({ more });
        await eventually('first results', 75_000, () => collector.results.length > 0);
        const from = thisMinute();
        await wait(8000);
        agent.kill('SIGSTOP');
        await wait(3000);
        agent.kill('SIGCONT');
        const to = await wholeMinute(scene, from + 60);
        expect(faultsOf(scene.records(), definitions, from, to)).toEqual([]);
        expect(collector.results.filter(({ minute }) => minute < from - 60 || minute > to + 60)).toEqual([]);
        expect(collector.results.filter(({ status }) => status === 'DOWN')).toEqual([]);
        expect(collector.absences.filter(({ reason }) => reason !== 'unborn')).toEqual([]);
        expect(collector.results.filter(({ status, minute }) => status === 'UP' && minute === to)).toHaveLength(100);
      }),
  );
});

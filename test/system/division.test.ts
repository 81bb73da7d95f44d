import { describe, it, type ExpectStatic } from 'vitest';
import type { CheckResult } from '../../core/result.ts';
import type { AgentProcess } from '../support/agent-process.ts';
import { openDivisionScene, timesOf, type DivisionScene } from '../support/division-scene.ts';

const MONITORS = 30;
/** When everything of a minute has arrived, what was taken over after its end included. */
const SETTLED_SECOND = 76;

async function within(monitors: number, test: (scene: DivisionScene) => Promise<void>): Promise<void> {
  const scene = await openDivisionScene(monitors);
  try {
    await test(scene);
  } finally {
    await scene.end();
  }
}

function startAll(scene: DivisionScene, ids: readonly number[]): Map<number, AgentProcess> {
  return new Map(ids.map((id) => [id, scene.start(id)]));
}

function expectOnce(expect: ExpectStatic, scene: DivisionScene, minute: number, monitors = MONITORS): void {
  expect(timesOf(scene.measured(minute))).toEqual({ 1: monitors });
}

/** What was said to be unknown of the minutes from `from` on; in the one they start in, agents may come too late. */
function unknownSince(scene: DivisionScene, from: number): CheckResult[] {
  return scene.collector.results.filter(({ status, minute }) => status === 'UNKNOWN' && minute >= from);
}

describe.concurrent('three agents of one region', () => {
  it('lose no minute when one is killed in the middle of one, nor when it comes back', async ({ expect }) => {
    await within(MONITORS, async (scene) => {
      const agents = startAll(scene, [1, 2, 3]);
      const first = await scene.shared(agents);
      await scene.until(first + 60, 25);
      const owned = [...scene.measured(first)].filter(([, owners]) => owners.includes(2)).map(([id]) => id);
      expect(owned.length).toBeGreaterThan(1);
      expectOnce(expect, scene, first);
      agents.get(2)?.kill('SIGKILL');
      await scene.until(first + 120, 2);
      agents.set(2, scene.start(2));
      const joined = await scene.shared(agents);
      await scene.until(joined, SETTLED_SECOND);
      expect([...scene.measured(first + 60)].filter(([, owners]) => owners.length === 0)).toEqual([]);
      for (let minute = first + 120; minute <= joined; minute += 60) expectOnce(expect, scene, minute);
      const again = [...scene.measured(joined)].filter(([, owners]) => owners.includes(2)).map(([id]) => id);
      expect(again).toEqual(owned);
      // The one that died answers for its own slots only.
      const unknown = unknownSince(scene, first).map(({ monitorId }) => monitorId);
      expect(unknown.filter((monitorId) => !owned.includes(monitorId))).toEqual([]);
    });
  }, 900_000);

  it('lose no minute and measure none twice when one is told to end, and share on without NATS', async ({ expect }) => {
    await within(MONITORS, async (scene) => {
      const agents = startAll(scene, [1, 2, 3]);
      const first = await scene.shared(agents);
      await scene.until(first, 25);
      const leaving = agents.get(3);
      leaving?.kill('SIGTERM');
      expect(await leaving?.exited).toBe(0);
      agents.delete(3);
      await scene.shared(agents);
      await scene.until(first + 60, 50);
      await scene.nats.kill9();
      await scene.until(first + 180, SETTLED_SECOND);
      for (let minute = first; minute <= first + 180; minute += 60) expectOnce(expect, scene, minute);
      const owners = (minute: number): number[] => [...scene.measured(minute).values()].flat();
      expect(owners(first + 180)).toEqual(owners(first + 60));
      expect(unknownSince(scene, first)).toEqual([]);
    });
  }, 900_000);

  it('share a single monitor: one runs it, the others stand by and take it over', async ({ expect }) => {
    await within(1, async (scene) => {
      const agents = startAll(scene, [1, 2, 3]);
      const first = await scene.shared(agents);
      await scene.until(first, SETTLED_SECOND);
      expectOnce(expect, scene, first, 1);
      const [owner] = scene.measured(first).get(1) ?? [];
      agents.get(owner ?? 0)?.kill('SIGKILL');
      await scene.until(first + 120, SETTLED_SECOND);
      expect(scene.measured(first + 60).get(1)?.length).toBeGreaterThan(0);
      expectOnce(expect, scene, first + 120, 1);
      expect(scene.measured(first + 120).get(1)).not.toContain(owner);
    });
  }, 900_000);
});

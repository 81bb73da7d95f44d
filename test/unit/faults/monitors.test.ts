import { expect, test } from 'vitest';
import { openMonitors, type Monitors } from '../../faults/monitors.ts';
import type { Targets } from '../../faults/targets.ts';
import type { Answer, Rest } from '../../support/rest.ts';

/** An API that does what it is asked, and whose answers may be lost. */
function openApi(): { monitors: Monitors; asked: string[]; loseNextAnswer: () => void } {
  const asked: string[] = [];
  const tags: string[] = [];
  let isLost = false;
  const answerTo = (method: string, path: string, body: unknown): Answer<unknown> => {
    const tag = method === 'POST' ? (body as { tag: string }).tag : (path.split('/')[2] ?? '');
    const id = tags.indexOf(tag) + 1;
    if (method === 'POST') return id > 0 ? { status: 400, body: {} } : made(tags.push(tag), 201);
    if (method === 'DELETE' && id > 0) tags[id - 1] = '';
    return id > 0 ? made(id, 200) : { status: 404, body: {} };
  };
  const call = async (method: string, path: string, body?: unknown): Promise<Answer<unknown>> => {
    asked.push(`${method} ${path}`);
    const answer = answerTo(method, path, body);
    if (!isLost) return answer;
    isLost = false;
    throw new Error('the answer is lost');
  };
  const points: Rest['points'] = async () => [];
  // Callers name the shape of what they get.
  const rest: Rest = { baseUrl: '', call: call as Rest['call'], points };
  let count = 0;
  const targets: Targets = {
    async add(kind) {
      const log = { key: `${kind.toLowerCase()}-${(count += 1)}`, visits: [], outages: [] };
      return { log, check: { monitor_type: kind, type_data: {} }, fail: null, mend: async () => undefined };
    },
    close: async () => undefined,
  };
  return { monitors: openMonitors(rest, targets), asked, loseNextAnswer: () => void (isLost = true) };
}

function made(id: number, status: number): Answer<unknown> {
  return { status, body: { monitor: { id } } };
}

test('a monitor whose making was never answered is found, and not made twice', async () => {
  const { monitors, asked, loseNextAnswer } = openApi();
  loseNextAnswer();
  await monitors.create('TCP');
  expect(asked).toEqual(['POST /monitors', 'POST /monitors', 'GET /monitors/tcp-1']);
  expect(monitors.book).toMatchObject([{ id: 1, tag: 'tcp-1', versions: [{ revision: 1 }], deleted: false }]);
});

test('a change whose answer was lost makes one version, which may hold from the first try on', async () => {
  const { monitors, loseNextAnswer } = openApi();
  await monitors.create('TCP');
  loseNextAnswer();
  await monitors.edit(0, 'pause');
  expect(monitors.book[0]?.versions.map(({ revision, active }) => [revision, active])).toEqual([
    [1, true],
    [2, false],
  ]);
});

test('a removal whose answer was lost is one', async () => {
  const { monitors, asked, loseNextAnswer } = openApi();
  await monitors.create('TCP');
  loseNextAnswer();
  await monitors.edit(0, 'delete');
  expect(asked.slice(1)).toEqual(['DELETE /monitors/tcp-1', 'DELETE /monitors/tcp-1']);
  expect(monitors.book[0]?.deleted).toBe(true);
});

test('edits come one after the other, each on what the one before has left', async () => {
  const { monitors, asked, loseNextAnswer } = openApi();
  await monitors.create('TCP');
  await monitors.create('TCP');
  loseNextAnswer();
  await Promise.all([monitors.edit(0, 'delete'), monitors.edit(0, 'pause')]);
  expect(asked.slice(2)).toEqual(['DELETE /monitors/tcp-1', 'DELETE /monitors/tcp-1', 'PATCH /monitors/tcp-2']);
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../../support/api-client.ts';
import { createMonitor, unusedTag } from '../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../support/api-server.ts';
import { attemptsOf, type Attempt } from '../../support/fuzz-attempts.ts';
import { findBrokenRows, readResources, storedState } from '../../support/stored-state.ts';

/** FUZZ_REQUESTS=100000 is the long run. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 10_000);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_120);
/** So many are under way at once. */
const AT_ONCE = 8;
/** Every so many rounds go one by one, so that what a refused request left behind is seen. */
const ALONE_EVERY = 10;
/** Alone and undisturbed, an answer that takes longer hangs. */
const SLOW_MS = 1000;
/** These take as long as they take: a year of points, and a check that waits for an agent. */
const TAKES_ITS_TIME = /"action":"(testMonitor|updateMonitoringData|deleteMonitorData)"|^PATCH \S+\/data\?/;
/** Without an agent a check is honestly answered so. */
const NEEDS_AGENT = /"action":"testMonitor"/;

let test: TestApi;
const tags = [unusedTag(), unusedTag(), unusedTag()];
const statuses = new Map<number, number>();
const slow: Attempt[] = [];
/** What went wrong, once for each kind of it. */
const faults = new Map<string, string>();

beforeAll(async () => {
  test = await startApi();
  for (const tag of tags) await createMonitor(test.api, { tag });
  // The key that asks outlives what is asked.
  await test.database.pool.query(`
    create function keep_row() returns trigger language plpgsql as 'begin return null; end';
    create trigger keep_test_key before update or delete on api_keys
      for each row when (old.name = 'test') execute function keep_row()`);
});
afterAll(() => test.stop());

const described = ({ method, path, json }: Attempt): string => `${method} ${path} ${JSON.stringify(json)}`;

async function send(attempt: Attempt): Promise<Answer | undefined> {
  const { method, path, headers, json } = attempt;
  const begun = performance.now();
  const answer = await test.api.request(method, path, { headers, json }).catch((error: Error) => {
    note(error.message, attempt);
  });
  if (!answer) return undefined;
  if (performance.now() - begun > SLOW_MS && !TAKES_ITS_TIME.test(described(attempt))) slow.push(attempt);
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  const isHonest = answer.status === 503 && NEEDS_AGENT.test(described(attempt));
  if (answer.status >= 500 && !isHonest) note(answer.text, attempt);
  return answer;
}

function note(fault: string, attempt: Attempt): void {
  const kind = fault.replace(/[\d"'].*$/s, '').slice(0, 80);
  faults.set(kind, `${fault.slice(0, 500)} after ${described(attempt).slice(0, 1000)}`);
}

async function sendAlone(attempt: Attempt): Promise<void> {
  const before = await storedState(test.database.pool);
  const answer = await send(attempt);
  if (!answer || answer.status >= 400)
    expect(await storedState(test.database.pool), described(attempt)).toEqual(before);
}

/** The known monitors stay known. */
async function keepKnown(): Promise<void> {
  const { rows } = await test.database.pool.query<{ tag: string }>('select tag from monitors where tag = any($1)', [
    tags,
  ]);
  for (const tag of tags) if (!rows.some((row) => row.tag === tag)) await createMonitor(test.api, { tag });
}

it(`never answers 500 and never leaves the document, whatever it is sent, and a refusal leaves nothing (seed ${SEED})`, async () => {
  const attempt = fc.oneof(...attemptsOf(test.api.document, tags));
  const round = fc.array(attempt, { minLength: AT_ONCE, maxLength: AT_ONCE });
  let rounds = 0;
  await fc.assert(
    fc.asyncProperty(round, async (attempts) => {
      rounds += 1;
      if (rounds % ALONE_EVERY === 0) for (const each of attempts) await sendAlone(each);
      else await Promise.all(attempts.map(send));
      await keepKnown();
    }),
    { seed: SEED, numRuns: Math.ceil(REQUESTS / AT_ONCE), endOnFailure: true },
  );
  expect([...faults.values()]).toEqual([]);
  // A fuzz that is only ever refused at the door would prove nothing.
  for (const status of [200, 201, 304, 400, 404])
    expect(statuses.get(status) ?? 0, `answers of ${status}`).toBeGreaterThan(0);
  expect((await test.api.get('/healthz')).status).toBe(200);
}, 1_800_000);

it('hung on nothing: what was slow among others is quick alone', async () => {
  for (const attempt of slow) {
    const times: number[] = [];
    for (let round = 0; round < 3 && !(Math.min(...times) < SLOW_MS); round += 1) {
      const begun = performance.now();
      await test.api.request(attempt.method, attempt.path, { headers: attempt.headers, json: attempt.json });
      times.push(performance.now() - begun);
    }
    expect(Math.min(...times), described(attempt)).toBeLessThan(SLOW_MS);
  }
}, 600_000);

it('left nothing half written, held or unreadable', async () => {
  expect(await findBrokenRows(test.database.pool)).toEqual([]);
  expect(await readResources(test.api)).toBeGreaterThan(10);
}, 120_000);

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../support/api-client.ts';
import { createIncident } from '../../support/api-incidents.ts';
import { createMaintenance, eventsOf, MAINTENANCES } from '../../support/api-maintenances.ts';
import { createMonitor, unusedTag } from '../../support/api-monitors.ts';
import { createPage, unusedPath } from '../../support/api-pages.ts';
import { startApi, type TestApi } from '../../support/api-server.ts';

type Fields = Record<string, unknown>;

const ROUNDS = 25;
const SEED = 20_261_120;
/** Some minute to count from; in the future, so that events can be moved. */
const MINUTE = Math.floor(Date.now() / 60_000) * 60 + 7 * 86_400;

let test: TestApi;
const tags = [unusedTag(), unusedTag(), unusedTag()] as const;
beforeAll(async () => {
  test = await startApi();
  for (const tag of tags) await createMonitor(test.api, { tag });
});
afterAll(() => test.stop());

const word = fc.stringMatching(/^[a-z]([a-z ]{0,8}[a-z])?$/);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const minute = fc.integer({ min: 0, max: 10_000 }).map((minutes) => MINUTE + minutes * 60);
const tagList = fc.shuffledSubarray([...tags]);
const references = tagList.chain((chosen) =>
  fc.tuple(
    ...chosen.map((monitor_tag) =>
      fc.record({ monitor_tag: fc.constant(monitor_tag), impact: fc.constantFrom('DOWN', 'DEGRADED') }),
    ),
  ),
);

interface Resource {
  name: string;
  /** Makes one, and returns its path. */
  create(): Promise<string>;
  /** What each writable field may become, as it is answered afterwards. */
  fields: Record<string, fc.Arbitrary<unknown>>;
  /** Fields that come only together. */
  together?: boolean;
  /** Fields whose members are changed, not they themselves; `deep`: at any depth. */
  merged?: Record<string, 'shallow' | 'deep'>;
  /** What an answer says otherwise than a request. */
  asAnswered?: (patch: Fields) => Fields;
}

const YES_NO = fc.constantFrom('YES', 'NO');

const RESOURCES: Resource[] = [
  {
    name: 'a monitor',
    create: async () => {
      const fields = { monitor_type: 'X', type_data: { kept: 1 }, monitor_settings_json: { kept: 2 } };
      return `/api/v4/monitors/${(await createMonitor(test.api, fields)).tag}`;
    },
    fields: {
      name: word,
      description: orNull(word),
      image: orNull(fc.webUrl()),
      cron: orNull(fc.constantFrom('*/5 * * * *', '0 * * * *')),
      default_status: orNull(fc.constantFrom('UP', 'DOWN', 'DEGRADED')),
      status: fc.constantFrom('ACTIVE', 'INACTIVE'),
      category_name: orNull(word),
      type_data: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 1, noUnicodeString: true })),
      include_degraded_in_downtime: YES_NO,
      is_hidden: YES_NO,
      monitor_settings_json: fc.record({ quorum: fc.constantFrom('any', 'all', 2), x: word }, { requiredKeys: [] }),
      confirmation_threshold: fc.integer({ min: 1, max: 60 }),
    },
    merged: { type_data: 'shallow', monitor_settings_json: 'shallow' },
  },
  {
    name: 'an incident',
    create: async () => `/api/v4/incidents/${(await createIncident(test.api)).id}`,
    fields: { title: word, start_date_time: minute, end_date_time: orNull(minute), monitors: references },
  },
  {
    name: 'a comment',
    create: async () => {
      const { id } = await createIncident(test.api);
      const path = `/api/v4/incidents/${id}/comments`;
      const { body } = await test.api.post(path, { comment: 'x', state: 'MONITORING' });
      // Held against the document by the client.
      return `${path}/${(body as { comment: { id: number } }).comment.id}`;
    },
    fields: { comment: word, timestamp: minute, state: fc.constantFrom('INVESTIGATING', 'IDENTIFIED', 'RESOLVED') },
  },
  {
    name: 'a maintenance',
    create: async () => `${MAINTENANCES}/${(await createMaintenance(test.api)).id}`,
    fields: {
      title: word,
      description: orNull(word),
      start_date_time: minute,
      rrule: fc.constantFrom('FREQ=WEEKLY', 'FREQ=DAILY;COUNT=1', 'FREQ=MONTHLY;BYDAY=1MO'),
      duration_seconds: fc.integer({ min: 60, max: 7200 }),
      status: fc.constantFrom('ACTIVE', 'INACTIVE'),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin'),
      monitors: references,
    },
  },
  {
    name: 'an event',
    create: async () => {
      const { id } = await createMaintenance(test.api, { start_date_time: MINUTE });
      return `${MAINTENANCES}/${id}/events/${(await eventsOf(test.api, id))[0]?.id}`;
    },
    fields: { start_date_time: minute, end_date_time: minute.map((start) => start + 20_000 * 60) },
    together: true,
  },
  {
    name: 'a page',
    create: async () => `/api/v4/pages/${(await createPage(test.api, { page_path: unusedPath() })).page_path}`,
    fields: {
      page_title: word,
      page_header: word,
      page_subheader: orNull(word),
      page_logo: orNull(fc.webUrl()),
      monitors: tagList,
      page_settings: fc.record(
        {
          incidents: fc.record(
            {
              enabled: fc.boolean(),
              resolved: fc.record({ max_count: fc.nat(50), days_in_past: fc.nat(50) }, { requiredKeys: [] }),
            },
            { requiredKeys: [] },
          ),
          include_maintenances: fc.record({ enabled: fc.boolean() }, { requiredKeys: [] }),
        },
        { requiredKeys: [] },
      ),
    },
    merged: { page_settings: 'deep' },
    asAnswered: ({ monitors, ...patch }) => ({
      ...patch,
      ...(Array.isArray(monitors) && {
        monitors: monitors.map((monitor_tag: unknown, position) => ({ monitor_tag, position })),
      }),
    }),
  },
];

function patchesOf({ fields, together }: Resource): fc.Arbitrary<Fields> {
  return fc.record(fields, together ? undefined : { requiredKeys: [] });
}

function deepMerge(into: unknown, from: unknown): unknown {
  if (typeof into !== 'object' || typeof from !== 'object' || into === null || from === null || Array.isArray(from))
    return from;
  const merged: Fields = { ...into };
  for (const [name, value] of Object.entries(from)) merged[name] = deepMerge(merged[name], value);
  return merged;
}

/** What a resource becomes: the patch's fields, and its own for the rest. */
function patched(state: Fields, patch: Fields, { merged = {}, asAnswered = (same) => same }: Resource): Fields {
  const next: Fields = { ...state, ...asAnswered(patch) };
  for (const [name, how] of Object.entries(merged)) {
    if (!(name in patch)) continue;
    next[name] =
      how === 'deep' ? deepMerge(state[name], patch[name]) : { ...(state[name] as Fields), ...(patch[name] as Fields) };
  }
  return next;
}

/** The resource of an answer, without what every change moves. */
function resourceOf({ status, body, text }: Answer): Fields {
  expect(status, text).toBe(200);
  const [resource = {}] = Object.values(body as Record<string, Fields>);
  return Object.fromEntries(Object.entries(resource).filter(([name]) => name !== 'updated_at'));
}

describe.each(RESOURCES.map((resource) => [resource.name, resource] as const))('%s', (_, resource) => {
  const options = { seed: SEED, numRuns: ROUNDS };

  it('keeps what a PATCH does not name, patch after patch', async () => {
    const path = await resource.create();
    let state = resourceOf(await test.api.get(path));
    await fc.assert(
      fc.asyncProperty(patchesOf(resource), async (patch) => {
        const expected = patched(state, patch, resource);
        state = resourceOf(await test.api.patch(path, patch));
        expect(state).toEqual(expected);
        expect(resourceOf(await test.api.get(path))).toEqual(expected);
      }),
      { ...options, endOnFailure: true },
    );
  }, 120_000);

  it('is left by three who change it at once as if they had come one after another', async () => {
    const path = await resource.create();
    let state = resourceOf(await test.api.get(path));
    const three = fc.array(patchesOf(resource), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(three, async (patches) => {
        const before = state;
        const answers = await Promise.all(patches.map((patch) => test.api.patch(path, patch)));
        state = resourceOf(await test.api.get(path));
        const orders = [
          [0, 1, 2],
          [0, 2, 1],
          [1, 0, 2],
          [1, 2, 0],
          [2, 0, 1],
          [2, 1, 0],
        ];
        const explained = orders.some((order) => {
          let now = before;
          return (
            order.every((at) => {
              now = patched(now, patches[at] ?? {}, resource);
              return isEqual(resourceOf(answers[at] as Answer), now);
            }) && isEqual(state, now)
          );
        });
        expect(explained, JSON.stringify({ before, patches, answers: answers.map(({ body }) => body), state })).toBe(
          true,
        );
      }),
      { ...options, endOnFailure: true },
    );
  }, 120_000);
});

function isEqual(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    // How the comparison says no.
    return false;
  }
}

import { describe, expect, it } from 'vitest';
import { createCheckAnswerer } from '../../../agent/check-request.ts';
import type { Examination } from '../../../agent/check.ts';
import { checkReport } from '../../../core/check-answer.ts';
import { unknownOutcome } from '../../../core/outcome.ts';
import type { ProbeConfig } from '../../../core/type-data.ts';

const OPEN = {
  status: 'open' as const,
  latency: 0.005,
  host: '127.0.0.1',
  port: 80,
  type: 'IP4' as const,
  code: 'open' as const,
  address: '127.0.0.1',
  problem: null,
  detail: null,
};
const UP: Examination = {
  outcome: { status: 'UP', cause: 'NONE', origin: 'REALTIME', latencyUs: 5, error: null, packets: null },
  results: [OPEN],
};
const TCP = JSON.stringify({ kind: 'TCP', config: { hosts: [{ host: '127.0.0.1' }] } });

function request(definition: string, deadlineMs = 1000) {
  return { requestId: 'r', definition, deadlineMs };
}

describe('a run on demand', () => {
  it('runs the probe with its defaults and reports the outcome with what was measured', async () => {
    const seen: ProbeConfig[] = [];
    const answer = createCheckAnswerer(async (probe) => {
      seen.push(probe);
      return UP;
    });
    const { outcome, error } = await answer(request(TCP));
    expect(error).toBe('');
    expect(checkReport.parse(JSON.parse(outcome))).toEqual({ ...UP.outcome, results: [OPEN] });
    expect(seen).toMatchObject([{ kind: 'TCP', config: { hosts: [{ host: '127.0.0.1', port: 80, timeout: 1000 }] } }]);
  });

  it.each(['garbage', '{}', '{"kind":"SQL","config":{}}', '{"kind":"TCP","config":{"hosts":[]}}'])(
    'refuses what is no probe: %s',
    async (definition) => {
      const answer = createCheckAnswerer(async () => UP);
      expect(await answer(request(definition))).toMatchObject({
        outcome: '',
        error: expect.stringMatching(/^unsupported:/) as string,
      });
    },
  );

  it('cuts a run at its deadline', async () => {
    const answer = createCheckAnswerer(
      (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ ...UP, outcome: unknownOutcome('cut', 'deadline') })),
        ),
    );
    expect((await answer(request(TCP, 5))).outcome).toContain('cut: deadline');
  });

  it('refuses more than a few at once, and takes the next when one is done', async () => {
    const ends: (() => void)[] = [];
    const answer = createCheckAnswerer(() => new Promise((resolve) => ends.push(() => resolve(UP))));
    const running = Array.from({ length: 4 }, () => answer(request(TCP)));
    expect((await answer(request(TCP))).error).toMatch(/^busy:/);
    for (const end of ends) end();
    await Promise.all(running);
    const next = answer(request(TCP));
    ends.at(-1)?.();
    expect((await next).error).toBe('');
  });

  it('says so when the check itself breaks', async () => {
    const answer = createCheckAnswerer(() => Promise.reject(new Error('secret')));
    expect(await answer(request(TCP))).toEqual({ outcome: '', error: 'failed: the check itself failed' });
  });
});

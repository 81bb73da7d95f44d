import { z } from 'zod';
import type { CheckReport } from '../core/check-answer.ts';
import { parseJson } from '../core/json-text.ts';
import { isProbeKind, TYPE_DATA, type ProbeConfig } from '../core/type-data.ts';
import type { CheckRequest } from '../proto/messages.ts';
import type { Examine } from './check.ts';

/** Runs on demand at the same time: the schedule comes first. */
const MAX_RUNNING = 4;
const MAX_DEADLINE_MS = 60_000;

const request = z.object({ kind: z.string(), config: z.unknown() });

/** Answers runs on demand. Nothing of them is stored. */
export function createCheckAnswerer(
  examine: Examine,
): (request: CheckRequest) => Promise<{ outcome: string; error: string }> {
  let running = 0;
  return async ({ definition, deadlineMs }) => {
    const probe = parseProbe(definition);
    if (probe === null) return refusal('unsupported: this agent has no such probe, or its configuration is not valid');
    if (running >= MAX_RUNNING) return refusal('busy: too many runs at once');
    running += 1;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), Math.min(deadlineMs || MAX_DEADLINE_MS, MAX_DEADLINE_MS));
    try {
      const { outcome, results } = await examine(probe, controller.signal);
      const report: CheckReport = { ...outcome, results };
      return { outcome: JSON.stringify(report), error: '' };
    } catch {
      // Only a broken probe rejects: whoever asked is told, and the agent goes on.
      return refusal('failed: the check itself failed');
    } finally {
      clearTimeout(timer);
      running -= 1;
    }
  };
}

function refusal(error: string): { outcome: string; error: string } {
  return { outcome: '', error };
}

function parseProbe(text: string): ProbeConfig | null {
  const parsed = request.safeParse(parseJson(text)).data;
  if (parsed === undefined || !isProbeKind(parsed.kind)) return null;
  const config = TYPE_DATA[parsed.kind].safeParse(parsed.config);
  // The pair is the union's member by construction; TypeScript cannot follow the kind through the table.
  return config.success ? ({ kind: parsed.kind, config: config.data } as ProbeConfig) : null;
}

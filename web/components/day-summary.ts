import type { Minutes } from '../view.ts';
import type { Words } from '../words.ts';

const STATES = [
  ['up', 'UP'],
  ['degraded', 'DEGRADED'],
  ['maintenance', 'MAINTENANCE'],
  ['down', 'DOWN'],
] as const;

/** How long a span was in which state; empty where nothing was measured. */
export function summaryOf(minutes: Minutes, words: Words): string {
  return STATES.filter(([part]) => minutes[part] > 0)
    .map(([part, status]) => `${words.say(`status.${status}`)}: ${words.duration(minutes[part] * 60)}`)
    .join(' · ');
}

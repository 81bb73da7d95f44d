import type { PublicStatus } from '../../core/overall-status.ts';
import type { Words } from '../words.ts';

/** Each status has a shape of its own: colour alone says nothing to many eyes, nor on paper. */
const SHAPES: Record<PublicStatus, string> = {
  UP: 'M4.5 8.5l2.4 2.4 4.6-5',
  DOWN: 'M5.2 5.2l5.6 5.6m0-5.6l-5.6 5.6',
  DEGRADED: 'M8 4.4v4.4m0 2.6v.01',
  MAINTENANCE: 'M5.8 4.8v6.4m4.4-6.4v6.4',
  NO_DATA: 'M5 8h6',
};

/** The sign of a status, for the eye; say the status in words beside it. */
export function StatusSign({ status }: { status: PublicStatus }) {
  return (
    <svg class={`sign ${toneOf(status)}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <circle cx="8" cy="8" r="8" />
      <path d={SHAPES[status]} />
    </svg>
  );
}

/** A status as sign and word. */
export function StatusMark({ status, words }: { status: PublicStatus; words: Words }) {
  return (
    <span class={`mark ${toneOf(status)}`}>
      <StatusSign status={status} />
      {words.say(`status.${status}`)}
    </span>
  );
}

/** The class that carries a status' colours. */
export function toneOf(status: PublicStatus): string {
  return `tone-${status.toLowerCase().replace('_', '-')}`;
}

import type { PublicStatus } from '../../core/overall-status.ts';
import type { DayView, Minutes, MonitorView } from '../view.ts';
import type { Words } from '../words.ts';
import { toneOf } from './status-mark.tsx';

const STEP = 10;
const WIDTH = 7;
const HEIGHT = 40;
/** The least that a present state takes of its day's column: one bad minute of 1,440 must be seen. */
const LEAST = 0.12;

/** From the top of a column downwards: trouble hangs where the eye looks first. */
const STACK = ['down', 'degraded', 'maintenance', 'up'] as const satisfies readonly (keyof Minutes)[];
const STATUS: Record<keyof Minutes, PublicStatus> = {
  up: 'UP',
  down: 'DOWN',
  degraded: 'DEGRADED',
  maintenance: 'MAINTENANCE',
};

interface Props {
  monitor: Pick<MonitorView, 'tag' | 'name' | 'days'>;
  /** How many of the newest days a desk and a phone show. */
  shown: { desktop: number; mobile: number };
  words: Words;
}

/**
 * A monitor's days as one picture: a column a day, so that a hundred monitors stay light. It says in words what it shows
 * and leads to the table that tells of each day.
 */
export function DayBar({ monitor: { tag, name, days }, shown, words }: Props) {
  const label = `${name}: ${words.say('monitor.days.label', { days: days.length, ...countDays(days) })}`;
  const source = `/monitors/${tag}/days?last=${days.length}`;
  return (
    <div>
      <a class="days" href={`/monitors/${tag}#days`} aria-label={label} data-days={source}>
        <Picture days={days.slice(-shown.desktop)} kind="desk" />
        <Picture days={days.slice(-shown.mobile)} kind="phone" />
      </a>
      <p class="axis" aria-hidden="true">
        <span class="on-desk">{words.say('days.ago', { days: Math.min(shown.desktop, days.length) - 1 })}</span>
        <span class="on-phone">{words.say('days.ago', { days: Math.min(shown.mobile, days.length) - 1 })}</span>
        <span>{words.say('today')}</span>
      </p>
    </div>
  );
}

function Picture({ days, kind }: { days: readonly DayView[]; kind: 'desk' | 'phone' }) {
  return (
    <svg
      class={`day-bar on-${kind}`}
      aria-hidden="true"
      viewBox={`0 0 ${days.length * STEP - (STEP - WIDTH)} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {drawDays(days).map(({ tone, kind, path }) => (
        <path key={tone + kind} class={`${tone} ${kind}`} d={path} />
      ))}
    </svg>
  );
}

/** The worst thing that happened on a day. */
export function worstOf(day: Minutes): PublicStatus {
  const worst = STACK.find((part) => day[part] > 0);
  return worst ? STATUS[worst] : 'NO_DATA';
}

function countDays(days: readonly DayView[]): Minutes & { none: number } {
  const counts = { up: 0, down: 0, degraded: 0, maintenance: 0, none: 0 };
  for (const day of days) counts[STACK.find((part) => day[part] > 0) ?? 'none'] += 1;
  return counts;
}

/** A stretch of a column, from the top downwards. */
interface Part {
  status: PublicStatus;
  top: number;
  height: number;
}

interface Stroke {
  tone: string;
  kind: 'whole' | 'part';
  path: string;
}

/**
 * Neighbouring days of one state are one line as thick as the column is high, with a dash a day; days of several states
 * are short lines as thick as the column is wide (web/styles/site.css).
 */
function drawDays(days: readonly DayView[]): Stroke[] {
  const strokes = new Map<string, Stroke>();
  const draw = (status: PublicStatus, kind: Stroke['kind'], line: string): void => {
    const stroke = strokes.get(status + kind) ?? { tone: toneOf(status), kind, path: '' };
    strokes.set(status + kind, stroke);
    stroke.path += line;
  };
  const columns = days.map(partsOf);
  const alone = columns.map(([first, ...others]) => (others.length === 0 ? first?.status : undefined));
  columns.forEach((parts, at) => {
    const status = alone[at];
    if (!status) {
      for (const part of parts) draw(part.status, 'part', `M${at * STEP + WIDTH / 2} ${part.top}v${part.height}`);
    } else if (alone[at - 1] !== status) {
      const end = alone.findIndex((other, index) => index > at && other !== status);
      const length = (end < 0 ? days.length : end) - at;
      draw(status, 'whole', `M${at * STEP} ${HEIGHT / 2}h${length * STEP - (STEP - WIDTH)}`);
    }
  });
  return [...strokes.values()];
}

/** Shares of the day's known minutes, none of the present ones too low to be seen; together the whole column. */
function partsOf(day: Minutes): Part[] {
  const present = STACK.filter((part) => day[part] > 0);
  if (present.length === 0) return [{ status: 'NO_DATA', top: 0, height: HEIGHT }];
  const known = present.reduce((sum, part) => sum + day[part], 0);
  const raised = present.map((part) => Math.max(day[part] / known, LEAST));
  const total = raised.reduce((sum, share) => sum + share, 0);
  let top = 0;
  return present.map((part, at) => {
    const isLast = at === present.length - 1;
    const height = isLast ? HEIGHT - top : Math.round(((raised[at] ?? 0) / total) * HEIGHT);
    top += height;
    return { status: STATUS[part], top: top - height, height };
  });
}

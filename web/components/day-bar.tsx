import type { ComponentChildren } from 'preact';
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
  monitor: MonitorView;
  /** How many of the newest days a phone shows. */
  phoneDays: number;
  words: Words;
}

/**
 * A monitor's days as one picture: one column a day, one path a state, so that a hundred monitors stay light. The
 * picture carries its summary in words; the days one by one stand on the monitor's own page.
 */
export function DayBar({ monitor: { tag, days }, phoneDays, words }: Props) {
  const { paths, empty } = drawDays(days);
  const drawing = `days-${tag}`;
  return (
    <>
      <Frame days={days} from={0} kind="desk" tag={tag} words={words}>
        <g id={drawing}>
          {empty && <path class={toneOf('NO_DATA')} d={empty} />}
          {STACK.map((part) => paths[part] && <path key={part} class={toneOf(STATUS[part])} d={paths[part]} />)}
        </g>
      </Frame>
      <Frame days={days} from={Math.max(0, days.length - phoneDays)} kind="phone" tag={tag} words={words}>
        <use href={`#${drawing}`} />
      </Frame>
    </>
  );
}

interface FrameProps {
  days: readonly DayView[];
  /** The first day that is in the picture. */
  from: number;
  kind: 'desk' | 'phone';
  tag: string;
  words: Words;
  children: ComponentChildren;
}

function Frame({ days, from, kind, tag, words, children }: FrameProps) {
  const shown = days.slice(from);
  return (
    <svg
      class={`day-bar on-${kind}`}
      role="img"
      aria-label={words.say('monitor.days.label', { days: shown.length, ...countDays(shown) })}
      viewBox={`${from * STEP} 0 ${Math.max(0, shown.length * STEP - (STEP - WIDTH))} ${HEIGHT}`}
      preserveAspectRatio="none"
      data-days={`/monitors/${tag}/days`}
    >
      {children}
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

function drawDays(days: readonly DayView[]): { paths: Record<keyof Minutes, string>; empty: string } {
  const paths = { up: '', down: '', degraded: '', maintenance: '' };
  let empty = '';
  days.forEach((day, index) => {
    const x = index * STEP;
    let top = 0;
    const heights = heightsOf(day);
    for (const part of STACK) {
      if (heights[part] > 0) paths[part] += column(x, top, heights[part]);
      top += heights[part];
    }
    if (top === 0) empty += column(x, 0, HEIGHT);
  });
  return { paths, empty };
}

/** Shares of the day's known minutes, none of the present ones too low to be seen; together the whole column. */
function heightsOf(day: Minutes): Minutes {
  const known = STACK.reduce((sum, part) => sum + day[part], 0);
  const heights = { up: 0, down: 0, degraded: 0, maintenance: 0 };
  if (known === 0) return heights;
  const raised = STACK.map((part) => (day[part] > 0 ? Math.max(day[part] / known, LEAST) : 0));
  const total = raised.reduce((sum, share) => sum + share, 0);
  let left = HEIGHT;
  STACK.forEach((part, index) => {
    heights[part] = Math.min(left, Math.round(((raised[index] ?? 0) / total) * HEIGHT));
    left -= heights[part];
  });
  const filler = STACK.findLast((part) => day[part] > 0);
  if (filler) heights[filler] += left;
  return heights;
}

function column(x: number, y: number, height: number): string {
  return `M${x} ${y}h${WIDTH}v${height}h-${WIDTH}z`;
}

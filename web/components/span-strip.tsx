import type { StatusSpan } from '../view.ts';
import type { Words } from '../words.ts';
import { toneOf } from './status-mark.tsx';

interface Props {
  spans: readonly StatusSpan[];
  start: number;
  end: number;
  label: string;
  words: Words;
}

/** A day from its first to its last minute, coloured by status. */
export function SpanStrip({ spans, start, end, label, words }: Props) {
  const minutes = (end - start) / 60;
  return (
    <div class="strip">
      <svg class="day-strip" role="img" aria-label={label} viewBox={`0 0 ${minutes} 10`} preserveAspectRatio="none">
        <rect class={toneOf('NO_DATA')} width={minutes} height="10" />
        {spans.map((span) => (
          <rect
            key={span.start}
            class={toneOf(span.status)}
            x={(span.start - start) / 60}
            width={(span.end - span.start) / 60}
            height="10"
          >
            <title>
              {`${words.time(span.start)} – ${words.time(span.end)}: ${words.say(`status.${span.status}`)}`}
            </title>
          </rect>
        ))}
      </svg>
      <p class="axis" aria-hidden="true">
        <span>{words.time(start)}</span>
        <span>{words.time(start + (end - start) / 2)}</span>
        <span>{words.time(end)}</span>
      </p>
    </div>
  );
}

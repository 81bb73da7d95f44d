import type { MaintenanceView } from '../view.ts';
import type { Words } from '../words.ts';
import { Affects } from './incident.tsx';
import { Markdown } from './markdown.tsx';

interface Props {
  event: MaintenanceView;
  words: Words;
  heading?: 'h1' | 'h3';
}

/** One window of a maintenance. */
export function Maintenance({ event, words, heading: Heading = 'h3' }: Props) {
  const { maintenanceId, title, description, start, end, status, monitors } = event;
  const span = { start: words.moment(start), end: words.moment(end), duration: words.duration(end - start) };
  return (
    <article class={`event maintenance event-${status.toLowerCase()}`}>
      <header>
        <Heading>{Heading === 'h1' ? title : <a href={`/maintenances/${maintenanceId}`}>{title}</a>}</Heading>
        <p class="event-state">{words.say(`event.${status}`)}</p>
        <p class="event-span">{words.say('incident.span', span)}</p>
        <Affects monitors={monitors} words={words} />
      </header>
      {description && <Markdown text={description} />}
    </article>
  );
}

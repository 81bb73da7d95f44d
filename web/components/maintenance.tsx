import type { MaintenanceView } from '../view.ts';
import type { Words } from '../words.ts';
import { Affects } from './incident.tsx';
import { Markdown } from './markdown.tsx';

interface Props {
  event: MaintenanceView;
  words: Words;
  /** On the maintenance's own page, which says the rest. */
  isOwn?: boolean;
}

/** One window of a maintenance. */
export function Maintenance({ event, words, isOwn = false }: Props) {
  const { maintenanceId, title, description, start, end, status, monitors } = event;
  const times = { start: words.moment(start), end: words.moment(end), duration: words.duration(end - start) };
  const span = words.say('incident.span', times);
  return (
    <article class={`event maintenance event-${status.toLowerCase()}`}>
      <header>
        <h3>{isOwn ? span : <a href={`/maintenances/${maintenanceId}`}>{title}</a>}</h3>
        <p class="event-state">{words.say(`event.${status}`)}</p>
        {!isOwn && <p class="event-span">{span}</p>}
        <Affects monitors={monitors} words={words} />
      </header>
      {!isOwn && description && <Markdown text={description} />}
    </article>
  );
}

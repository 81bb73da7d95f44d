import type { MaintenanceView } from '../view.ts';
import type { Words } from '../words.ts';
import { Affects } from './incident.tsx';
import { Markdown } from './markdown.tsx';

interface Props {
  list: readonly MaintenanceView[];
  words: Words;
  /** On the maintenance's own page, which says the rest. */
  isOwn?: boolean;
}

/** Windows of maintenances. Neighbours of one maintenance in one state stand together: all but their times is the same. */
export function Maintenances({ list, words, isOwn = false }: Props) {
  return (
    <>
      {together(list).map((windows) => (
        <Maintenance key={windows[0].eventId} windows={windows} words={words} isOwn={isOwn} />
      ))}
    </>
  );
}

type Windows = [MaintenanceView, ...MaintenanceView[]];

function together(list: readonly MaintenanceView[]): Windows[] {
  const groups: Windows[] = [];
  for (const event of list) {
    const last = groups.at(-1);
    if (last?.[0].maintenanceId === event.maintenanceId && last[0].status === event.status) last.push(event);
    else groups.push([event]);
  }
  return groups;
}

function Maintenance({ windows, words, isOwn }: { windows: Windows; words: Words; isOwn: boolean }) {
  const { maintenanceId, title, description, status, monitors } = windows[0];
  const state = words.say(`event.${status}`);
  // Of what is still to come the next one comes first, whatever the order of the list.
  const shown = status === 'SCHEDULED' ? windows.toSorted((a, b) => a.start - b.start) : windows;
  return (
    <article class={`event maintenance event-${status.toLowerCase()}`}>
      <header>
        <h3>{isOwn ? state : <a href={`/maintenances/${maintenanceId}`}>{title}</a>}</h3>
        {!isOwn && <p class="event-state">{state}</p>}
        <ul class="event-span">
          {shown.map(({ eventId, start, end }) => (
            <li key={eventId}>{words.span(start, end)}</li>
          ))}
        </ul>
        <Affects monitors={monitors} words={words} />
      </header>
      {!isOwn && description && <Markdown text={description} />}
    </article>
  );
}

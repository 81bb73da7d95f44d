import { Incident } from '../components/incident.tsx';
import { Maintenances } from '../components/maintenance.tsx';
import type { EventsView } from '../view.ts';
import type { Words } from '../words.ts';

/** What happened in one month. */
export function EventsPage({ page, words }: { page: EventsView; words: Words }) {
  const { start, previous, next, incidents, maintenances } = page;
  return (
    <>
      <div class="page-head">
        <h1>{words.say('events.month', { month: words.month(start) })}</h1>
        <nav class="between" aria-label={words.say('events.all')}>
          <a rel="prev" href={`/events?month=${previous}`}>
            {words.say('events.previous')}
          </a>
          {next !== null && (
            <a rel="next" href={`/events?month=${next}`}>
              {words.say('events.next')}
            </a>
          )}
        </nav>
      </div>
      {incidents.length + maintenances.length === 0 && <p class="empty card">{words.say('events.none')}</p>}
      {incidents.length > 0 && (
        <section>
          <h2>{words.say('incidents')}</h2>
          {incidents.map((incident) => (
            <Incident key={incident.id} incident={incident} words={words} />
          ))}
        </section>
      )}
      {maintenances.length > 0 && (
        <section>
          <h2>{words.say('maintenances')}</h2>
          <Maintenances list={maintenances} words={words} />
        </section>
      )}
    </>
  );
}

import type { AffectedMonitor, IncidentView } from '../view.ts';
import type { Words } from '../words.ts';
import { Markdown } from './markdown.tsx';
import { Moment } from './moment.tsx';

interface Props {
  incident: IncidentView;
  words: Words;
  /** Of its title: under a section's heading, or the page's own. */
  heading?: 'h1' | 'h3';
}

/** An incident with its timeline, newest first. */
export function Incident({ incident, words, heading: Heading = 'h3' }: Props) {
  const { id, title, state, monitors, comments } = incident;
  return (
    <article class={`event incident state-${state.toLowerCase()}`}>
      <header>
        <Heading>{Heading === 'h1' ? title : <a href={`/incidents/${id}`}>{title}</a>}</Heading>
        <p class="event-state">{words.say(`state.${state}`)}</p>
        <p class="event-span">
          <IncidentSpan incident={incident} words={words} />
        </p>
        <Affects monitors={monitors} words={words} />
      </header>
      {comments.length === 0 ? (
        <p class="empty">{words.say('incident.comments.none')}</p>
      ) : (
        <ol class="timeline">
          {comments.map((comment) => (
            <li key={comment.id} class={`state-${comment.state.toLowerCase()}`}>
              <p class="timeline-head">
                <strong>{words.say(`state.${comment.state}`)}</strong> <Moment at={comment.timestamp} words={words} />
              </p>
              <Markdown text={comment.text} />
            </li>
          ))}
        </ol>
      )}
    </article>
  );
}

/** Which monitors something lies over. */
export function Affects({ monitors, words }: { monitors: readonly AffectedMonitor[]; words: Words }) {
  if (monitors.length === 0) return null;
  return (
    <p class="affects">
      {words.say('affects')}{' '}
      {monitors.map(({ tag, name }, index) => (
        <span key={tag}>
          {index > 0 && ', '}
          <a href={`/monitors/${tag}`}>{name}</a>
        </span>
      ))}
    </p>
  );
}

function IncidentSpan({ incident: { start, end }, words }: { incident: IncidentView; words: Words }) {
  return <>{end === null ? words.say('incident.started', { time: words.moment(start) }) : words.span(start, end)}</>;
}

import { summaryOf } from '../components/day-summary.ts';
import { Incident } from '../components/incident.tsx';
import { LatencyChart } from '../components/latency-chart.tsx';
import { Maintenances } from '../components/maintenance.tsx';
import { SpanStrip } from '../components/span-strip.tsx';
import type { DayPageView } from '../view.ts';
import type { Words } from '../words.ts';

/** One day of one monitor: its minutes, its latency, and what lay over it. */
export function DayPage({ page, words }: { page: DayPageView; words: Words }) {
  const { tag, name, day, end, previous, next, spans, series, incidents, maintenances } = page;
  const summary = summaryOf(day, words);
  return (
    <>
      <div class="page-head">
        <p>
          <a href={`/monitors/${tag}`}>{name}</a>
        </p>
        <h1>{words.day(day.start)}</h1>
        <nav class="between" aria-label={words.say('day')}>
          {previous !== null ? (
            <a rel="prev" href={`/monitors/${tag}/days/${words.isoDay(previous)}`}>
              {words.day(previous)}
            </a>
          ) : (
            <span />
          )}
          {next !== null && (
            <a rel="next" href={`/monitors/${tag}/days/${words.isoDay(next)}`}>
              {words.day(next)}
            </a>
          )}
        </nav>
      </div>
      <section class="card">
        <h2>{words.say('day.minutes')}</h2>
        {spans.length === 0 ? (
          <p class="empty">{words.say('day.none')}</p>
        ) : (
          <>
            <p class="quiet">{summary}</p>
            <SpanStrip spans={spans} start={day.start} end={end} label={summary} words={words} />
            <Spans page={page} words={words} />
          </>
        )}
      </section>
      {series.points.length > 0 && (
        <section class="card">
          <h2>{words.say('day.latency')}</h2>
          <LatencyChart series={series} words={words} />
        </section>
      )}
      {incidents.map((incident) => (
        <Incident key={incident.id} incident={incident} words={words} />
      ))}
      <Maintenances list={maintenances} words={words} />
    </>
  );
}

/** What was not as it should be, in words: the picture is not for everybody. */
function Spans({ page: { spans }, words }: { page: DayPageView; words: Words }) {
  const troubles = spans.filter(({ status }) => status !== 'UP');
  if (troubles.length === 0) return null;
  return (
    <ul class="troubles">
      {troubles.map(({ start, end, status }) => (
        <li key={start}>
          {`${words.time(start)} – ${words.time(end)}: ${words.say(`status.${status}`)} (${words.duration(end - start)})`}
        </li>
      ))}
    </ul>
  );
}

import type { MonitorView } from '../view.ts';
import type { Words } from '../words.ts';
import { DayBar } from './day-bar.tsx';
import { LatencyLine } from './latency-line.tsx';
import { StatusMark, StatusSign } from './status-mark.tsx';

/** Neighbouring minutes of the small line; a monitor that is due less often is joined over its own distance. */
const JOIN_WITHIN_S = 15 * 60;

interface Props {
  monitor: MonitorView;
  /** The newest second the page knows of. */
  now: number;
  /** How many of the newest days a desk and a phone show. */
  shown: { desktop: number; mobile: number };
  words: Words;
  /** Of its name: under a section's heading, or the page's own. */
  heading?: 'h1' | 'h3';
}

/** A monitor on a page: how it is, how it was, and how fast. */
export function MonitorRow({ monitor, now, shown, words, heading: Heading = 'h3' }: Props) {
  const { tag, name, image, status, uptimeText, latencyMs, days, recent, regions } = monitor;
  const uptime =
    uptimeText === '-'
      ? words.say('monitor.uptime.unknown')
      : words.say('monitor.uptime.days', { uptime: words.percent(uptimeText), days: days.length });
  return (
    <li class="monitor" id={`monitor-${tag}`}>
      <div class="monitor-head">
        {image && <img class="monitor-image" src={image} alt="" loading="lazy" width="24" height="24" />}
        <Heading>
          <a href={`/monitors/${tag}`}>{name}</a>
        </Heading>
        <StatusMark status={status} words={words} />
      </div>
      <About monitor={monitor} now={now} words={words} />
      <DayBar monitor={monitor} shown={shown} words={words} />
      <div class="monitor-figures">
        <span class="uptime">{uptime}</span>
        {latencyMs !== null && (
          <span class="latency">{words.say('monitor.latency', { latency: words.latency(latencyMs) })}</span>
        )}
        <LatencyLine points={recent} joinWithin={JOIN_WITHIN_S} words={words} />
        {regions.length > 1 && (
          <ul class="regions" aria-label={words.say('monitor.regions')}>
            {regions.map((region) => (
              <li key={region.name}>
                <StatusSign status={region.status} />
                {region.name}
                <span class="unseen"> {words.say(`status.${region.status}`)}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

/** What it is, and since when it is in trouble: that all is well has no age that anybody asks for. */
function About({ monitor, now, words }: Pick<Props, 'monitor' | 'now' | 'words'>) {
  const { description, status } = monitor;
  const since = status === 'UP' ? null : monitor.since;
  if (!description && since === null) return null;
  return (
    <div class="monitor-about">
      {description && <p class="monitor-description">{description}</p>}
      {since !== null && (
        <p class="monitor-since">
          {words.say('monitor.since', { time: words.moment(since), duration: words.duration(now - since) })}
        </p>
      )}
    </div>
  );
}

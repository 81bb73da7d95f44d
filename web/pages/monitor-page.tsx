import { DayBar, worstOf } from '../components/day-bar.tsx';
import { summaryOf } from '../components/day-summary.ts';
import { Incident } from '../components/incident.tsx';
import { LatencyChart } from '../components/latency-chart.tsx';
import { Maintenances } from '../components/maintenance.tsx';
import { StatusMark, StatusSign, toneOf } from '../components/status-mark.tsx';
import type { DayView, MonitorPageView, Range } from '../view.ts';
import type { Words } from '../words.ts';

interface Props {
  page: MonitorPageView;
  /** Where the service is reached from outside, for what others embed. */
  base: string;
  now: number;
  words: Words;
}

/** Days that a desk and a phone show where no page's settings say so. */
export const DAYS_SHOWN = { desktop: 90, mobile: 30 };

/** One monitor: now, over a range, from each region, and day by day. */
export function MonitorPage({ page, base, now, words }: Props) {
  const { monitor, incidents, maintenances } = page;
  return (
    <>
      <div class="page-head monitor-title">
        <h1>{monitor.name}</h1>
        {monitor.description && <p class="quiet">{monitor.description}</p>}
      </div>
      <Now page={page} now={now} words={words} />
      <Figures page={page} words={words} />
      <section class="card">
        <h2>{words.say('monitor.latency.label')}</h2>
        {page.series.points.length > 0 ? (
          <LatencyChart series={page.series} words={words} />
        ) : (
          <p class="empty">{words.say('monitor.uptime.unknown')}</p>
        )}
      </section>
      {page.regions.length > 0 && <Regions page={page} words={words} />}
      <section class="card">
        <h2>{words.say('monitor.history')}</h2>
        <DayBar monitor={monitor} shown={DAYS_SHOWN} words={words} />
        <Days tag={monitor.tag} days={monitor.days} words={words} />
      </section>
      <section>
        <h2>{words.say('incidents')}</h2>
        {incidents.length === 0 && <p class="empty card">{words.say('incidents.none')}</p>}
        {incidents.map((incident) => (
          <Incident key={incident.id} incident={incident} words={words} />
        ))}
      </section>
      <section>
        <h2>{words.say('maintenances')}</h2>
        {maintenances.length === 0 && <p class="empty card">{words.say('maintenances.none')}</p>}
        <Maintenances list={maintenances} words={words} />
      </section>
      <Sharing tag={monitor.tag} base={base} words={words} />
    </>
  );
}

/** What a range is called. */
function rangeText(range: Range, words: Words): string {
  const count = Number.parseInt(range, 10);
  return range.endsWith('h') ? words.say('range.hours', { hours: count }) : words.say('range.days', { days: count });
}

/** How it is, and since when. */
function Now({ page: { monitor }, now, words }: { page: MonitorPageView; now: number; words: Words }) {
  const { since } = monitor;
  return (
    <section class={`overall ${toneOf(monitor.status)}`} aria-label={words.say('table.status')}>
      <StatusSign status={monitor.status} />
      <p class="overall-text">{words.say(`status.${monitor.status}`)}</p>
      <p class="overall-time">
        {since === null
          ? words.say('updated', { time: words.moment(now) })
          : words.say('monitor.since', { time: words.moment(since), duration: words.duration(now - since) })}
      </p>
    </section>
  );
}

function Figures({ page: { monitor, figures, range }, words }: { page: MonitorPageView; words: Words }) {
  return (
    <nav aria-label={words.say('range')}>
      <ul class="figures">
        {figures.map((figure) => (
          <li key={figure.range}>
            <a
              class="card figure"
              href={`/monitors/${monitor.tag}?range=${figure.range}`}
              aria-current={figure.range === range ? 'true' : undefined}
            >
              <span class="quiet">{rangeText(figure.range, words)}</span>
              <strong class="uptime">{figure.uptimeText === '-' ? '–' : words.percent(figure.uptimeText)}</strong>
              <span class="quiet latency">{figure.latencyMs === null ? '–' : words.latency(figure.latencyMs)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Regions({ page: { regions, regionsRange }, words }: { page: MonitorPageView; words: Words }) {
  return (
    <section class="card">
      <h2>{words.say('monitor.regions')}</h2>
      <table>
        <caption>{words.say('monitor.regions.range', { range: rangeText(regionsRange, words) })}</caption>
        <thead>
          <tr>
            <th scope="col">{words.say('table.region')}</th>
            <th scope="col">{words.say('table.status')}</th>
            <th scope="col">{words.say('table.uptime')}</th>
            <th scope="col">{words.say('table.latency')}</th>
          </tr>
        </thead>
        <tbody>
          {regions.map((region) => (
            <tr key={region.name}>
              <th scope="row">{region.name}</th>
              <td>
                <StatusMark status={region.status} words={words} />
              </td>
              <td>{region.uptimeText === '-' ? '–' : words.percent(region.uptimeText)}</td>
              <td>{region.latencyMs === null ? '–' : words.latency(region.latencyMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Days({ tag, days, words }: { tag: string; days: readonly DayView[]; words: Words }) {
  return (
    <details id="day-by-day">
      <summary>{words.say('monitor.days.each')}</summary>
      <table id="days">
        <thead>
          <tr>
            <th scope="col">{words.say('day')}</th>
            <th scope="col">{words.say('table.status')}</th>
            <th scope="col">{words.say('day.minutes')}</th>
            <th scope="col">{words.say('table.latency')}</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((day) => (
            <tr key={day.start}>
              <th scope="row">
                <a href={`/monitors/${tag}/days/${words.isoDay(day.start)}`}>{words.weekDay(day.start)}</a>
              </th>
              <td>
                <StatusMark status={worstOf(day)} words={words} />
              </td>
              <td>{summaryOf(day, words)}</td>
              <td>{day.latencyMs === null ? '–' : words.latency(day.latencyMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Sharing({ tag, base, words }: { tag: string; base: string; words: Words }) {
  const badges = ['status', 'uptime', 'latency'] as const;
  const frame = `<iframe src="${base}/embed/monitor-${tag}" width="100%" height="120" loading="lazy"></iframe>`;
  return (
    <details class="card sharing">
      <summary>{words.say('badges')}</summary>
      <ul>
        {badges.map((kind) => (
          <li key={kind}>
            <img src={`/badge/${tag}/${kind}`} alt={words.say(`badge.${kind}`)} height="20" loading="lazy" />
            <code>{`${base}/badge/${tag}/${kind}`}</code>
          </li>
        ))}
        <li>
          {words.say('embed')} <code>{frame}</code>
        </li>
      </ul>
    </details>
  );
}

import type { ComponentChildren } from 'preact';
import { Incident } from '../components/incident.tsx';
import { Maintenances } from '../components/maintenance.tsx';
import { Markdown } from '../components/markdown.tsx';
import { MonitorRow } from '../components/monitor-row.tsx';
import { StatusSign, toneOf } from '../components/status-mark.tsx';
import type { IncidentView, MaintenanceView, StatusPageView } from '../view.ts';
import type { Words } from '../words.ts';

/** From here on a browser lays out only what is in view. */
const MANY = 50;

interface Props {
  page: StatusPageView;
  /** The newest minute the page knows of. */
  now: number;
  words: Words;
}

/** What a status page says, from the overall state down to what is long past. */
export function StatusPage({ page, now, words }: Props) {
  const incidents = (list: readonly IncidentView[]): ComponentChildren =>
    list.map((incident) => <Incident key={incident.id} incident={incident} words={words} />);
  const maintenances = (list: readonly MaintenanceView[]): ComponentChildren => (
    <Maintenances list={list} words={words} />
  );
  return (
    <>
      <div class="page-head">
        <h1>{page.header}</h1>
        {page.subheader && <Markdown text={page.subheader} />}
      </div>
      <Overall page={page} now={now} words={words} />
      <Events title={words.say('incidents.ongoing')} list={page.ongoingIncidents}>
        {incidents}
      </Events>
      <Events title={words.say('maintenances.ongoing')} list={page.ongoingMaintenances}>
        {maintenances}
      </Events>
      <Monitors page={page} now={now} words={words} />
      <Events
        title={words.say('maintenances.upcoming')}
        list={page.upcomingMaintenances}
        none={words.say('maintenances.upcoming.none')}
      >
        {maintenances}
      </Events>
      <Events
        title={words.say('incidents.resolved')}
        list={page.resolvedIncidents}
        none={words.say('incidents.resolved.none')}
      >
        {incidents}
      </Events>
      <Events
        title={words.say('maintenances.past')}
        list={page.pastMaintenances}
        none={words.say('maintenances.past.none')}
      >
        {maintenances}
      </Events>
      <p class="more">
        <a href="/events">{words.say('events.all')}</a>
      </p>
    </>
  );
}

function Monitors({ page, now, words }: Props) {
  return (
    <section aria-labelledby="monitors">
      <h2 id="monitors">{words.say('monitors')}</h2>
      {page.monitors.length === 0 ? (
        <p class="empty card">{words.say('monitors.none')}</p>
      ) : (
        <ul class={`monitors layout-${page.layout}${page.monitors.length > MANY ? ' many' : ''}`}>
          {page.monitors.map((monitor) => (
            <MonitorRow key={monitor.tag} monitor={monitor} now={now} shown={page.historyDays} words={words} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Overall({ page: { overall }, now, words }: Props) {
  const key = overall.partial && isPartial(overall.status) ? (`overall.${overall.status}.partial` as const) : null;
  return (
    <section class={`overall ${toneOf(overall.status)}`} aria-label={words.say('table.status')}>
      <StatusSign status={overall.status} />
      <p class="overall-text">{words.say(key ?? `overall.${overall.status}`)}</p>
      <p class="overall-time">{words.say('updated', { time: words.moment(now) })}</p>
    </section>
  );
}

function isPartial(status: string): status is 'DOWN' | 'DEGRADED' {
  return status === 'DOWN' || status === 'DEGRADED';
}

interface EventsProps<One> {
  title: string;
  list: readonly One[] | null;
  /** What stands there when nothing is in the list. Without: the whole section stays away. */
  none?: string;
  children: (list: readonly One[]) => ComponentChildren;
}

function Events<One>({ title, list, none, children }: EventsProps<One>) {
  if (list === null || (list.length === 0 && none === undefined)) return null;
  return (
    <section>
      <h2>{title}</h2>
      {list.length === 0 ? <p class="empty card">{none}</p> : children(list)}
    </section>
  );
}

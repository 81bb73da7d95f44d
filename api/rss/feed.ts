import type { PublicIncident } from '../../db/page-incidents.ts';
import type { PublicMaintenance } from '../../db/page-maintenances.ts';
import type { AffectedMonitor } from '../../db/public-scope.ts';
import { element, escapeXml, writeXml, type XmlElement } from '../xml.ts';

/** RSS 2.0 (the RSS Advisory Board's specification, and its best practices for `atom:link` and `guid`). */

/** How many items a feed has at most (reference §1.7). */
const MAX_ITEMS = 50;
/** Minutes for which a reader may keep a feed. */
const TTL_MINUTES = 5;

export interface Feed {
  title: string;
  description: string;
  /** The page that the feed is of, and the feed itself; absolute. */
  link: string;
  self: string;
  /** What links of items begin with. */
  base: string;
  incidents: readonly PublicIncident[];
  maintenances: readonly PublicMaintenance[];
}

/** The feed as a document: the items that were published last, the newest first. */
export function writeFeed(feed: Feed): string {
  const items = [
    ...feed.incidents.map((incident) => incidentItem(incident, feed.base)),
    ...feed.maintenances.map((maintenance) => maintenanceItem(maintenance, feed.base)),
  ]
    .sort((a, b) => b.publishedAt - a.publishedAt || (a.guid < b.guid ? 1 : -1))
    .slice(0, MAX_ITEMS);
  const changedAt = items.reduce((last, item) => Math.max(last, item.changedAt), 0);
  const channel = element(
    'channel',
    {},
    element('title', {}, feed.title),
    element('link', {}, feed.link),
    element('description', {}, feed.description),
    element('atom:link', { href: feed.self, rel: 'self', type: 'application/rss+xml' }),
    element('generator', {}, 'Farwatch'),
    element('ttl', {}, String(TTL_MINUTES)),
    ...(changedAt > 0 ? [element('lastBuildDate', {}, rfc822(changedAt))] : []),
    ...items.map(itemElement),
  );
  const rss = element('rss', { version: '2.0', 'xmlns:atom': 'http://www.w3.org/2005/Atom' }, channel);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeXml(rss)}\n`;
}

function itemElement({ title, link, guid, description, publishedAt }: Item): XmlElement {
  return element(
    'item',
    {},
    element('title', {}, title),
    element('link', {}, link),
    element('guid', { isPermaLink: 'false' }, guid),
    element('pubDate', {}, rfc822(publishedAt)),
    element('description', {}, description),
  );
}

interface Item {
  title: string;
  link: string;
  guid: string;
  publishedAt: number;
  changedAt: number;
  /** HTML. */
  description: string;
}

function incidentItem(incident: PublicIncident, base: string): Item {
  const { id, title, state, start, end, monitors, comments, publishedAt, changedAt } = incident;
  const span = end === null ? `Since ${moment(start)}` : `${moment(start)} to ${moment(end)}`;
  const entries = comments.map(({ state, timestamp, text }) => {
    return `<p><strong>${state}</strong>, ${moment(timestamp)}<br/>${html(text)}</p>`;
  });
  return {
    title: `[${state}] ${title}`,
    link: `${base}/incidents/${id}`,
    guid: `${base}/incidents/${id}`,
    publishedAt,
    changedAt,
    description: [`<p>${span}</p>`, affected(monitors), ...entries].join(''),
  };
}

function maintenanceItem(maintenance: PublicMaintenance, base: string): Item {
  const { maintenanceId, eventId, title, description, status, start, end, monitors } = maintenance;
  const link = `${base}/maintenances/${maintenanceId}`;
  return {
    title: `[Maintenance ${status}] ${title}`,
    link,
    guid: `${link}/events/${eventId}`,
    publishedAt: maintenance.publishedAt,
    changedAt: maintenance.changedAt,
    description: [
      `<p>${moment(start)} to ${moment(end)}</p>`,
      affected(monitors),
      description ? `<p>${html(description)}</p>` : '',
    ].join(''),
  };
}

function affected(monitors: readonly AffectedMonitor[]): string {
  if (monitors.length === 0) return '';
  return `<p>Affects ${monitors.map(({ name, impact }) => `${html(name)} (${impact})`).join(', ')}</p>`;
}

function html(text: string): string {
  return escapeXml(text).replaceAll('\n', '<br/>');
}

/** RFC 822 with a year of four digits. */
function rfc822(seconds: number): string {
  return new Date(seconds * 1000).toUTCString();
}

/** To the minute in UTC; seconds beyond what a date can be are said as a number. */
function moment(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.valueOf())) return String(seconds);
  return `${date.toISOString().slice(0, -8).replace('T', ' ')} UTC`;
}

import type { Incident } from '../core/incident.ts';
import type { PublicStatus } from '../core/overall-status.ts';
import type { Locale } from './words.ts';

/**
 * What the pages show, as plain data: times in unix seconds, latencies in milliseconds, texts as their authors wrote
 * them. Whoever makes a view leaves out what may not be public; a page shows all it is given.
 */

type IncidentState = Incident['state'];

/** How many minutes of a span were in which state. */
export interface Minutes {
  up: number;
  down: number;
  degraded: number;
  maintenance: number;
}

export interface DayView extends Minutes {
  /** The first second of the day in the visitor's zone. */
  start: number;
  latencyMs: number | null;
}

export interface RecentPoint {
  minute: number;
  latencyMs: number;
}

export interface RegionView {
  name: string;
  status: PublicStatus;
}

/** What the days of a bar are told of by. */
export type MonitorDaysView = Pick<MonitorView, 'tag' | 'days'>;

export interface MonitorView {
  tag: string;
  name: string;
  description: string | null;
  image: string | null;
  status: PublicStatus;
  /**
   * Since when it is how it is, on a page of many only where it is not UP; null too where that is longer than the days
   * shown, or nothing is known.
   */
  since: number | null;
  /** Of the days shown: a number without its sign, or `-` where nothing was measured. */
  uptimeText: string;
  latencyMs: number | null;
  /** Oldest first. */
  days: DayView[];
  /** Of the last hours, oldest first; absent minutes are gaps. */
  recent: RecentPoint[];
  regions: RegionView[];
}

export interface AffectedMonitor {
  tag: string;
  name: string;
  impact: string;
}

export interface CommentView {
  id: number;
  text: string;
  timestamp: number;
  state: IncidentState;
}

export interface IncidentView {
  id: number;
  title: string;
  start: number;
  end: number | null;
  state: IncidentState;
  monitors: AffectedMonitor[];
  /** Newest first. */
  comments: CommentView[];
}

export interface MaintenanceView {
  maintenanceId: number;
  eventId: number;
  title: string;
  description: string | null;
  start: number;
  end: number;
  status: 'SCHEDULED' | 'READY' | 'ONGOING' | 'COMPLETED' | 'CANCELLED';
  monitors: AffectedMonitor[];
}

/** One status page. A list that the page's settings switch off is null; an empty one is shown as such. */
export interface StatusPageView {
  path: string;
  title: string;
  /** Of the browser's tab. */
  tabTitle: string;
  header: string;
  subheader: string | null;
  logo: string | null;
  layout: 'default-list' | 'default-grid' | 'compact-list' | 'compact-grid';
  historyDays: { desktop: number; mobile: number };
  overall: { status: PublicStatus; partial: boolean };
  monitors: MonitorView[];
  ongoingIncidents: IncidentView[] | null;
  resolvedIncidents: IncidentView[] | null;
  ongoingMaintenances: MaintenanceView[] | null;
  upcomingMaintenances: MaintenanceView[] | null;
  pastMaintenances: MaintenanceView[] | null;
}

/** How far back a monitor's page looks. */
export const RANGES = ['24h', '7d', '30d', '90d'] as const;
export type Range = (typeof RANGES)[number];

export interface LatencySeries {
  start: number;
  end: number;
  /** The distance of neighbouring points, seconds: a wider one is a gap. */
  step: number;
  points: { at: number; latencyMs: number }[];
}

/** What a region saw of a monitor over the range. */
export interface RegionFigures extends RegionView {
  uptimeText: string;
  latencyMs: number | null;
}

/** One monitor over a range. */
export interface MonitorPageView {
  monitor: MonitorView;
  range: Range;
  figures: { range: Range; uptimeText: string; latencyMs: number | null }[];
  series: LatencySeries;
  regions: RegionFigures[];
  /** What the figures of the regions are over: they do not reach as far back as others. */
  regionsRange: Range;
  incidents: IncidentView[];
  maintenances: MaintenanceView[];
}

/** Neighbouring minutes of one status; none where nothing was measured. */
export interface StatusSpan {
  start: number;
  end: number;
  status: PublicStatus;
}

/** One day of one monitor, in the visitor's zone. */
export interface DayPageView {
  tag: string;
  name: string;
  day: DayView;
  /** The first second of the next day: days of 23 and 25 hours exist. */
  end: number;
  previous: number | null;
  next: number | null;
  spans: StatusSpan[];
  series: LatencySeries;
  incidents: IncidentView[];
  maintenances: MaintenanceView[];
}

/** A maintenance with its windows, soonest first. */
export interface MaintenancePageView {
  title: string;
  description: string | null;
  events: MaintenanceView[];
}

/** What happened in one month, newest first. */
export interface EventsView {
  /** `2026-11`, and the first second of it in the visitor's zone. */
  month: string;
  start: number;
  previous: string;
  next: string | null;
  incidents: IncidentView[];
  maintenances: MaintenanceView[];
}

/** What the site as a whole is called and looks like; null where nothing is shown for it. */
export interface SiteView {
  name: string;
  /** Of the browser's tab, behind what the page shows; null: the name. */
  title: string | null;
  logo: string | null;
  favicon: string | null;
  description: string | null;
  /** Markdown. */
  footer: string | null;
  /** What holds for visitors whose own wishes are not known. */
  theme: Theme;
  timeZone: string;
  /** A language tag, not always one of ours. */
  language: string;
  /** Where the site is reached from outside, without a slash at the end. */
  url: string | null;
}

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** How this visitor reads: language, zone and the wish for light or dark. */
export interface Reader {
  locale: Locale;
  timeZone: string;
  theme: Theme;
}

/** What every page needs besides what it shows. */
export interface Surroundings {
  reader: Reader;
  site: SiteView;
  assets: Assets;
  /** What the page is addressed by, for links to itself. */
  path: string;
  /** What it was asked for besides, ready to be followed by more. */
  query: string;
  /** What absolute links begin with. */
  base: string;
  /** Whether the base is known and not guessed: what caches and other programs keep must not be. */
  isPublished: boolean;
  /** The newest second the page knows of: what "now" means on it. */
  now: number;
}

/** Where the built style sheet and script stand, with their hashes in their names. */
export interface Assets {
  css: string;
  /** Null: the page is only looked at. */
  js: string | null;
}

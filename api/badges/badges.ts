import { z } from 'zod';
import { floorMinute, type MinuteRange } from '../../core/minute.ts';
import { overallStatus, type PublicStatus } from '../../core/overall-status.ts';
import { HOME_PATH } from '../../core/page.ts';
import { uptimeOf, type Uptime, type UptimeRule } from '../../core/uptime.ts';
import { readCurrentStatuses } from '../../db/current-status.ts';
import { findPage } from '../../db/pages.ts';
import type { LatencyFigures, RangeCounts } from '../../db/period-counts.ts';
import { readNow } from '../../db/service-clock.ts';
import { findVisibleMonitors } from '../../db/visible-monitors.ts';
import type { Context } from '../context.ts';
import { route } from '../http/route.ts';
import { readAllStatuses } from '../services/all-statuses.ts';
import { dotQuery, latencyQuery, statusQuery, uptimeQuery, type BadgeLooks } from './badge-query.ts';
import { drawBadge, drawDot, STATUS_COLOR, statusWords, type BadgeText } from './draw-badge.ts';
import { durationText, latencyText, percentText, uptimeColor } from './figures.ts';
import { countAll, countOne } from './span.ts';

/** The tag that stands for all visible monitors together. */
const ALL = '_';

/** An image proxy asks once for many who look. */
const CACHE_CONTROL = 'public, max-age=30';

/** An image: it may have its own styles and nothing else. */
const SVG = {
  mediaType: 'image/svg+xml',
  contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
};

const badge = {
  method: 'GET',
  access: 'public',
  cacheControl: CACHE_CONTROL,
  text: SVG,
  response: z.string().meta({ description: 'An SVG; for what is unknown or hidden one that says so' }),
} as const;

/** What a badge is about. */
interface Subject {
  name: string;
  rule: UptimeRule;
  count(range: MinuteRange): Promise<RangeCounts>;
}

/** What a span of time amounts to. */
interface Span {
  uptime: Uptime;
  latencyUs: LatencyFigures | null;
}

/** Monitors together have no formulas of their own. */
const DEFAULT_RULE: UptimeRule = { include_degraded_in_downtime: 'NO', monitor_settings_json: null };

const NOT_FOUND: BadgeText = { label: 'error', message: 'not found', color: 'lightgrey' };

const statusBadge = route({
  ...badge,
  path: '/badge/{tag}/status',
  summary: 'A badge with the current status of a monitor, or of all (`_`)',
  query: statusQuery,
  handler: async ({ path, query }, context) => {
    const current = await currentOf(path.tag, context);
    if (!current) return drawBadge(NOT_FOUND, { style: query.style });
    const { name, status } = current;
    return drawBadge({ label: name, message: statusWords(status), color: STATUS_COLOR[status] }, query);
  },
});

const dotBadge = route({
  ...badge,
  path: '/badge/{tag}/dot',
  summary: 'A dot in the colour of the current status of a monitor, or of all (`_`)',
  query: dotQuery,
  handler: async ({ path, query }, context) => {
    const current = await currentOf(path.tag, context);
    return current ? drawDot(current.name, current.status, query) : drawBadge(NOT_FOUND, {});
  },
});

const uptimeBadge = route({
  ...badge,
  path: '/badge/{tag}/uptime',
  summary: 'A badge with the uptime of a monitor, or of all (`_`)',
  query: uptimeQuery,
  handler: async ({ path, query }, context) => {
    return drawSpan(path.tag, query, context, ({ uptime }) => ({
      message: percentText(uptime.percent, query.locale),
      color: uptimeColor(uptime.percent),
    }));
  },
});

const latencyBadge = route({
  ...badge,
  path: '/badge/{tag}/latency',
  summary: 'A badge with the latency of a monitor, or of all (`_`)',
  query: latencyQuery,
  handler: async ({ path, query }, context) => {
    return drawSpan(path.tag, query, context, ({ latencyUs }) => ({
      message: latencyText(latencyUs && latencyUs[METRIC[query.metric]], query.locale),
      color: latencyUs ? 'blue' : 'lightgrey',
    }));
  },
});

const METRIC = { average: 'avg', maximum: 'max', minimum: 'min' } as const;

export const badgeRoutes = [statusBadge, uptimeBadge, latencyBadge, dotBadge];

async function currentOf(
  tag: string,
  { db, pool }: Context,
): Promise<{ name: string; status: PublicStatus } | undefined> {
  if (tag !== ALL) return (await readCurrentStatuses(pool, [tag]))[0];
  const statuses = (await readAllStatuses(pool)).map(({ status }) => status);
  return { name: await siteName(db), status: overallStatus(statuses).status };
}

async function drawSpan(
  tag: string,
  query: BadgeLooks & { sinceLast: number; hideDuration: boolean },
  context: Context,
  say: (span: Span) => Omit<BadgeText, 'label'>,
): Promise<string> {
  const { db } = context;
  const subject = await subjectOf(tag, context);
  if (!subject) return drawBadge(NOT_FOUND, { style: query.style });
  const to = floorMinute(await readNow(db));
  const counted = await subject.count({ from: floorMinute(to - query.sinceLast), to });
  const span = { uptime: uptimeOf(counted, subject.rule), latencyUs: counted.latencyUs };
  const duration = query.hideDuration ? '' : ` ${durationText(query.sinceLast, query.locale)}`;
  const label = (query.label ?? subject.name) + duration;
  return drawBadge({ label, ...say(span) }, { ...query, label: undefined });
}

async function subjectOf(tag: string, context: Context): Promise<Subject | undefined> {
  const { db, pool } = context;
  if (tag === ALL) return { name: await siteName(db), rule: DEFAULT_RULE, count: (range) => countAll(context, range) };
  const [monitor] = await findVisibleMonitors(db, [tag]);
  return monitor && { name: monitor.name, rule: monitor, count: (range) => countOne(pool, monitor, range) };
}

async function siteName(db: Context['db']): Promise<string> {
  return (await findPage(db, HOME_PATH))?.page_title ?? 'Status';
}

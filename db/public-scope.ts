import { IS_VISIBLE } from './visible-monitors.ts';

/**
 * Whose incidents and maintenances are asked for (reference §12): those that name a visible monitor of a page, a certain
 * monitor, which the caller knows to be visible, or any visible monitor; and always those that were written without any.
 */
export type PublicScope = { page: number } | { monitor: number } | 'everything';

/** The links that name monitors, each with the id of their owner. */
const LINKS = {
  incidents: { table: 'incident_monitors', owner: 'incident_id' },
  maintenances: { table: 'maintenance_monitors', owner: 'maintenance_id' },
} as const;
type Kind = keyof typeof LINKS;

/** SQL: whether a row of `kind` is in the scope, and the value of $1 in it. */
export function inScope(kind: Kind, scope: PublicScope): { condition: string; value: number | null } {
  const { table, owner } = LINKS[kind];
  const { from, value } = linksOf(scope);
  const named = `select link.${owner} from ${table} link ${from}`;
  return { condition: `(${kind}.is_global or ${kind}.id in (${named}))`, value };
}

function linksOf(scope: PublicScope): { from: string; value: number | null } {
  const visible = `join monitors on monitors.id = link.monitor_id and ${IS_VISIBLE}`;
  if (scope === 'everything') return { from: `${visible} where $1::int is null`, value: null };
  if ('monitor' in scope) return { from: `where link.monitor_id = $1::int`, value: scope.monitor };
  const placed = 'join page_monitors on page_monitors.monitor_id = link.monitor_id and page_id = $1::int';
  return { from: `${placed} ${visible}`, value: scope.page };
}

/** SQL: the visible monitors that a row of `kind` names, in its order, as JSON. */
export function visibleMonitorsOf(kind: Kind): string {
  const { table, owner } = LINKS[kind];
  return `coalesce((
    select json_agg(json_build_object('tag', tag, 'name', name, 'impact', impact) order by position)
    from ${table} link join monitors on monitors.id = link.monitor_id
    where link.${owner} = ${kind}.id and ${IS_VISIBLE}), '[]')`;
}

/** A visible monitor that an incident or a maintenance names. */
export interface AffectedMonitor {
  tag: string;
  name: string;
  impact: string;
}

/** SQL: a time of a row in whole unix seconds. */
export function secondsOf(column: string): string {
  return `floor(extract(epoch from ${column}))::int8`;
}

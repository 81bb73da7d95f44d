import { makeBadge } from 'badge-maker';
import type { PublicStatus } from '../../core/overall-status.ts';
import { element, writeXml } from '../xml.ts';
import { shortText, type BadgeLooks, type DotLooks } from './badge-query.ts';

/** What a badge says; `color` is what it has where the looks name none. */
export interface BadgeText {
  label: string;
  message: string;
  color: string;
}

export const STATUS_COLOR: Record<PublicStatus, string> = {
  UP: 'brightgreen',
  DEGRADED: 'yellow',
  DOWN: 'red',
  MAINTENANCE: 'blue',
  NO_DATA: 'lightgrey',
};

const DOT_COLOR: Record<PublicStatus, string> = {
  UP: '#44bb00',
  DEGRADED: '#d8b800',
  DOWN: '#dd4343',
  MAINTENANCE: '#007ec6',
  NO_DATA: '#939393',
};

/** An SVG with a role and a title for those who cannot see it; all texts are escaped. */
export function drawBadge(text: BadgeText, { label, labelColor, color, style }: Partial<BadgeLooks>): string {
  return makeBadge({
    label: label ?? shortText(text.label),
    message: shortText(text.message),
    color: color ?? text.color,
    ...(labelColor && { labelColor }),
    style: style ?? 'flat',
  });
}

/** Whoever wishes for less motion sees no ping. */
const PING = `@media (prefers-reduced-motion:no-preference){.ping{animation:ping 1.5s ease-out infinite;transform-origin:center}}
@keyframes ping{from{opacity:.75;transform:scale(1)}to{opacity:0;transform:scale(2)}}.ping{opacity:0}`;

/** A dot in the colour of a status, as an SVG that says in words what it stands for. */
export function drawDot(name: string, status: PublicStatus, { label, color, fillColor, animate }: DotLooks): string {
  const title = `${label ?? shortText(name)}: ${statusWords(status)}`;
  const fill = cssColor(color ?? DOT_COLOR[status]);
  const dot = { cx: '8', cy: '8', r: '4', fill };
  const svg = element(
    'svg',
    {
      ...{ xmlns: 'http://www.w3.org/2000/svg', width: '16', height: '16', viewBox: '0 0 16 16' },
      ...{ role: 'img', 'aria-label': title },
    },
    element('title', {}, title),
    ...(fillColor ? [element('rect', { width: '16', height: '16', fill: cssColor(fillColor) })] : []),
    ...(animate ? [element('style', {}, PING), element('circle', { class: 'ping', ...dot })] : []),
    element('circle', dot),
  );
  return writeXml(svg);
}

export function statusWords(status: PublicStatus): string {
  return status.replace('_', ' ');
}

/** Hexadecimal digits without their sign are a colour to badges only. */
function cssColor(color: string): string {
  return /^[0-9a-f]{3}(?:[0-9a-f]{3})?$/.test(color) ? `#${color}` : color;
}

import { ask } from './ask.ts';

/** A day of a bar, in the visitor's words. */
interface Day {
  href: string;
  title: string;
  text: string;
}

/** Where somebody is in a bar: by pointer or by arrow keys. */
interface Place {
  bar: HTMLAnchorElement;
  /** Of the columns in view, from the left. */
  column: number;
}

const BAR = 'a.days';
/** So long what is told of today may be old; whoever walks along a bar waits once. */
const KEPT_MS = 60_000;

interface Kept {
  days: Promise<Day[]>;
  askedMs: number;
}

/** By bar: one that comes in the place of another (keep-current.ts) may end with another day. */
const lists = new WeakMap<HTMLAnchorElement, Kept>();

/**
 * Tells of each day under the pointer or the arrow keys, and shows its details on a click or Enter. Without this a bar is
 * a link to a table of its days.
 */
export function tellOfDays(): void {
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  tip.setAttribute('role', 'status');
  document.body.append(tip);
  const frame = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  frame.classList.add('chosen');
  let chosen: Place | undefined;
  const go = (place: Place | undefined): void => {
    chosen = place;
    frame.remove();
    if (!place) tip.hidden = true;
    else {
      frame.setAttribute('d', `M${place.column * 10} 0h7v40h-7z`);
      pictureOf(place.bar).append(frame);
      void showTip(tip, place, () => chosen === place);
    }
  };
  document.addEventListener('pointermove', ({ target, clientX }) => {
    const bar = barAt(target);
    const column = bar && columnAt(bar, clientX);
    if (bar && column !== undefined && (chosen?.bar !== bar || chosen.column !== column)) go({ bar, column });
    else if (!bar && chosen && chosen.bar !== document.activeElement) go(undefined);
  });
  for (const away of ['focusout', 'scroll'] as const) document.addEventListener(away, () => go(undefined));
  document.documentElement.addEventListener('pointerleave', () => go(undefined));
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') return go(undefined);
    const bar = barAt(event.target);
    const column = bar && columnByKey(bar, chosen?.bar === bar ? chosen.column : undefined, event.key);
    if (column === undefined || !bar) return;
    event.preventDefault();
    go({ bar, column });
  });
  document.addEventListener('click', (event) => {
    const bar = barAt(event.target);
    if (!bar || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // A click has a detail where a pointer made it, and a finger none that moved before.
    const pointed = event.detail > 0 ? { bar, column: columnAt(bar, event.clientX) } : undefined;
    const place = chosen?.bar === bar ? chosen : pointed;
    if (!place) return;
    event.preventDefault();
    go(undefined);
    void dayAt(place).then((day) => (day ? openDay(day) : location.assign(bar.href)));
  });
}

async function showTip(tip: HTMLElement, place: Place, isWanted: () => boolean): Promise<void> {
  const day = await dayAt(place);
  if (!day || !isWanted()) return;
  const title = document.createElement('strong');
  title.textContent = day.title;
  tip.replaceChildren(title, document.createElement('br'), day.text);
  tip.hidden = false;
  const { left, top, width } = pictureOf(place.bar).getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const middle = left + ((place.column + 0.5) / columnsOf(place.bar)) * width;
  const x = Math.min(Math.max(8, middle - own.width / 2), document.documentElement.clientWidth - own.width - 8);
  tip.style.transform = `translate(${x}px, ${Math.max(8, top - own.height - 8)}px)`;
}

function barAt(target: EventTarget | null): HTMLAnchorElement | undefined {
  return target instanceof Element ? (target.closest<HTMLAnchorElement>(BAR) ?? undefined) : undefined;
}

/** The picture for this window's size: the other one is not shown. */
function pictureOf(bar: HTMLAnchorElement): SVGSVGElement {
  const pictures = [...bar.querySelectorAll('svg')];
  // A bar has two pictures (web/components/day-bar.tsx).
  return pictures.find((picture) => picture.getBoundingClientRect().width > 0) ?? (pictures[0] as SVGSVGElement);
}

/** A column is seven wide, and ten with the space behind it (web/components/day-bar.tsx). */
function columnsOf(bar: HTMLAnchorElement): number {
  return Math.round((pictureOf(bar).viewBox.baseVal.width + 3) / 10);
}

function columnAt(bar: HTMLAnchorElement, clientX: number): number {
  const { left, width } = pictureOf(bar).getBoundingClientRect();
  const columns = columnsOf(bar);
  return Math.min(columns - 1, Math.max(0, Math.floor(((clientX - left) / width) * columns)));
}

/** Where a key leads; first to today, which stands at the right. */
function columnByKey(bar: HTMLAnchorElement, from: number | undefined, key: string): number | undefined {
  const last = columnsOf(bar) - 1;
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined;
  if (from === undefined) return last;
  return Math.min(last, Math.max(0, from + (key === 'ArrowLeft' ? -1 : 1)));
}

/** Nothing where the list cannot be read: the bar still says what it says. */
async function dayAt({ bar, column }: Place): Promise<Day | undefined> {
  const kept = lists.get(bar);
  const isNew = kept && Date.now() - kept.askedMs < KEPT_MS;
  const list = isNew ? kept : { days: readDays(bar.dataset.days ?? ''), askedMs: Date.now() };
  lists.set(bar, list);
  try {
    const days = await list.days;
    // Bar and list end with today.
    return days[days.length - columnsOf(bar) + column];
  } catch {
    // The next look asks again.
    lists.delete(bar);
    return undefined;
  }
}

async function readDays(source: string): Promise<Day[]> {
  const response = await ask(source, 'application/json');
  if (!response.ok) throw new Error(`answered ${response.status}`);
  // Our own server's list.
  return (await response.json()) as Day[];
}

/**
 * The day's own page, in a dialog: its Escape key, focus and backdrop are the browser's, and so is what is said of a page
 * that cannot be read.
 */
async function openDay({ href }: Day): Promise<void> {
  const content = await readContent(href).catch(() => null);
  if (!content) return location.assign(href);
  const dialog = document.createElement('dialog');
  dialog.className = 'day-dialog';
  const close = document.createElement('button');
  close.type = 'button';
  close.textContent = document.documentElement.dataset.close ?? 'Close';
  close.addEventListener('click', () => dialog.close());
  const heading = content.querySelector('h1');
  if (heading) {
    heading.id = 'day-dialog-title';
    dialog.setAttribute('aria-labelledby', heading.id);
  }
  content.querySelector('#stale')?.remove();
  dialog.append(close, ...document.adoptNode(content).childNodes);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Null where the page is none. @throws where nothing comes back */
async function readContent(href: string): Promise<Element | null> {
  const response = await ask(href, 'text/html');
  if (!response.ok) return null;
  return new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('main');
}

/** A day of a bar, in the visitor's words. */
interface Day {
  href: string;
  title: string;
  text: string;
}

const lists = new Map<string, Promise<Day[]>>();

/** Tells of each day under the pointer, and shows its details on a click; without this they stand on pages of their own. */
export function tellOfDays(): void {
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  document.body.append(tip);
  document.addEventListener('pointermove', (event) => void showTip(tip, event));
  document.addEventListener('pointerleave', () => (tip.hidden = true));
  document.addEventListener('click', (event) => {
    const bar = barAt(event.target);
    if (!bar) return;
    tip.hidden = true;
    void dayAt(bar, event.clientX).then((day) => day && openDay(day));
  });
}

async function showTip(tip: HTMLElement, { target, clientX, clientY }: PointerEvent): Promise<void> {
  const bar = barAt(target);
  if (!bar) {
    tip.hidden = true;
    return;
  }
  const day = await dayAt(bar, clientX);
  if (!day) return;
  tip.replaceChildren(strong(day.title), document.createElement('br'), day.text);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, clientX - width / 2), document.documentElement.clientWidth - width - 8);
  tip.style.transform = `translate(${left}px, ${Math.max(8, clientY - height - 14)}px)`;
}

function barAt(target: EventTarget | null): SVGSVGElement | null {
  return target instanceof Element ? target.closest<SVGSVGElement>('svg.day-bar[data-days]') : null;
}

/** Nothing where the list cannot be read: the bar still says what it says. */
async function dayAt(bar: SVGSVGElement, clientX: number): Promise<Day | undefined> {
  const source = bar.dataset.days ?? '';
  const list = lists.get(source) ?? readDays(source);
  lists.set(source, list);
  try {
    const days = await list;
    // A column and the space behind it are ten wide (web/components/day-bar.tsx). Bar and list end with today.
    const columns = Math.round((bar.viewBox.baseVal.width + 3) / 10);
    const { left, width } = bar.getBoundingClientRect();
    return days[days.length - columns + Math.floor(((clientX - left) / width) * columns)];
  } catch {
    // The next look asks again.
    lists.delete(source);
    return undefined;
  }
}

async function readDays(source: string): Promise<Day[]> {
  const response = await fetch(source, { headers: { Accept: 'application/json' } });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  // Our own server's list.
  return (await response.json()) as Day[];
}

/** The day's own page, in a dialog: its Escape key, focus and backdrop are the browser's. */
async function openDay({ href }: Day): Promise<void> {
  const response = await fetch(href, { headers: { Accept: 'text/html' } });
  if (!response.ok) return location.assign(href);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const content = page.querySelector('main');
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
  dialog.append(close, ...document.adoptNode(content).childNodes);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function strong(text: string): HTMLElement {
  const element = document.createElement('strong');
  element.textContent = text;
  return element;
}

import { ask } from './ask.ts';

/**
 * A point is seen at the second look after it came: the first one has the server make the page anew (api/site/site.ts).
 * So it takes forty seconds at most, and what people write is there at the first.
 */
const EVERY_MS = 20_000;

/** What is renewed: not the rest, which people may be at. */
const RENEWED = ['main', '.zone'];

/**
 * Keeps the page current: fetches it again and puts its content in place, quietly, where it differs. Nobody looks at a
 * hidden page, so it waits until it is seen. Returns what does it at once.
 */
export function keepCurrent(): () => Promise<void> {
  const shown = new Map(RENEWED.map((selector) => [selector, document.querySelector(selector)?.outerHTML]));
  let due = Date.now() + EVERY_MS;
  let running: Promise<void> | undefined;
  const refresh = (): Promise<void> => {
    running ??= replaceContent(shown).finally(() => {
      running = undefined;
      due = Date.now() + EVERY_MS;
    });
    return running;
  };
  const look = (): void => {
    if (document.visibilityState === 'visible' && Date.now() >= due) void refresh();
  };
  document.addEventListener('visibilitychange', look);
  const wait = (): void => {
    setTimeout(() => {
      look();
      wait();
    }, 1000);
  };
  wait();
  return refresh;
}

async function replaceContent(shown: Map<string, string | undefined>): Promise<void> {
  // What somebody has marked would slip away under his hand.
  if (getSelection()?.isCollapsed === false) return;
  try {
    const response = await ask(location.href, 'text/html');
    const text = await response.text();
    // What is no longer there is news as well.
    if (!response.ok && response.status !== 404) throw new Error(`answered ${response.status}`);
    const fresh = new DOMParser().parseFromString(text, 'text/html');
    document.documentElement.dataset.zone = fresh.documentElement.dataset.zone;
    document.title = fresh.title;
    for (const selector of RENEWED) {
      const next = fresh.querySelector(selector);
      if (!next || next.outerHTML === shown.get(selector)) continue;
      shown.set(selector, next.outerHTML);
      swap(document.querySelector(selector), next);
    }
    mark(false);
  } catch {
    // The page says itself that it is not being renewed, and from when it is.
    mark(true);
  }
}

function mark(isStale: boolean): void {
  const note = document.getElementById('stale');
  if (note) note.hidden = !isStale;
}

/** What was open is opened again, and the focus stays on what stands where it was. */
function swap(old: Element | null, next: Element): void {
  if (!old) return;
  const open = [...old.querySelectorAll('details[open]')].map(({ id }) => id).filter(Boolean);
  const again = old.contains(document.activeElement) ? findAgain(old, document.activeElement) : undefined;
  old.replaceWith(document.adoptNode(next));
  for (const id of open) document.getElementById(id)?.setAttribute('open', '');
  again?.(next)?.focus({ preventScroll: true });
}

/** How to find an element in the place of the old one: the same link, the same summary. */
function findAgain(old: Element, focused: Element | null) {
  const name = (element: Element): string | null => element.getAttribute('href') ?? element.textContent;
  const alike = (root: Element): HTMLElement[] =>
    [...root.querySelectorAll<HTMLElement>('a, summary')].filter((one) => focused && name(one) === name(focused));
  const at = alike(old).findIndex((one) => one === focused);
  return (root: Element): HTMLElement | undefined => alike(root)[at];
}

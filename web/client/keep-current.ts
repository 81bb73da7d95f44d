/** Points come once a minute; with this much besides, a new one is seen well within 90 seconds. */
const EVERY_MS = 30_000;

/**
 * Keeps the page current: fetches it again and puts its content in place, quietly, where it differs. Nobody looks at a
 * hidden page, so it waits until it is seen. Returns what does it at once.
 */
export function keepCurrent(): () => Promise<void> {
  let due = Date.now() + EVERY_MS;
  let running: Promise<void> | undefined;
  const refresh = (): Promise<void> => {
    running ??= replaceContent().finally(() => {
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

async function replaceContent(): Promise<void> {
  try {
    const response = await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    const zone = fresh.documentElement.dataset.zone;
    if (zone) document.documentElement.dataset.zone = zone;
    document.title = fresh.title;
    for (const name of ['main', '.site-foot p']) swap(name, fresh);
    delete document.documentElement.dataset.stale;
  } catch {
    // The page says itself how old it is; a mark shows that it is not being renewed.
    document.documentElement.dataset.stale = 'true';
  }
}

/** The old element stays where nothing changed: focus, selection and scroll positions live in it. */
function swap(selector: string, fresh: Document): void {
  const old = document.querySelector(selector);
  const next = fresh.querySelector(selector);
  if (!old || !next || old.isEqualNode(next)) return;
  const open = [...old.querySelectorAll('details[open]')].map(({ id }) => id).filter(Boolean);
  const focused = old.contains(document.activeElement) ? document.activeElement?.id : undefined;
  old.replaceWith(document.adoptNode(next));
  for (const id of open) document.getElementById(id)?.setAttribute('open', '');
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

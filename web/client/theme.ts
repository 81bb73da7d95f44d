import { remember } from './cookie.ts';

/** Shows the switch between light, dark and the system's wish, and makes it work. */
export function offerThemes(): void {
  const label = document.querySelector<HTMLElement>('.theme-switch');
  const select = label?.querySelector('select');
  if (!label || !select) return;
  // A browser that goes back remembers what the switch said, and not what the page was made for.
  select.value = document.documentElement.dataset.theme ?? 'system';
  label.hidden = false;
  select.addEventListener('change', () => {
    document.documentElement.dataset.theme = select.value;
    remember('farwatch_theme', select.value);
  });
}

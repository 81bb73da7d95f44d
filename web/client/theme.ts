import { remember } from './cookie.ts';

/** Shows the switch between light, dark and the system's wish, and makes it work. */
export function offerThemes(): void {
  const root = document.documentElement;
  const box = document.querySelector<HTMLElement>('.theme-switch');
  const select = box?.querySelector('select');
  if (!box || !select) return;
  select.value = root.dataset.theme ?? '';
  box.hidden = false;
  select.addEventListener('change', () => {
    if (select.value === '') delete root.dataset.theme;
    else root.dataset.theme = select.value;
    remember('farwatch_theme', select.value);
  });
}

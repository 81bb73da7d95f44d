import { useState } from 'preact/hooks';

const A_YEAR_S = 31_536_000;

/** The wish for light or dark that this browser keeps, for the status pages too; empty: the system's. */
export function useTheme(): [theme: string, choose: (theme: string) => void] {
  const [theme, setTheme] = useState(document.documentElement.dataset.theme ?? '');
  const choose = (wish: string): void => {
    // As web/client/cookie.ts does it: a part that both bundles shared would be one more file for every visitor.
    document.cookie = `farwatch_theme=${wish}; Path=/; Max-Age=${wish === '' ? 0 : A_YEAR_S}; SameSite=Lax`;
    applyTheme(wish);
    setTheme(wish);
  };
  return [theme, choose];
}

/** Shows what was chosen before. */
export function applyKeptTheme(): void {
  applyTheme(/(?:^|; )farwatch_theme=(light|dark)/.exec(document.cookie)?.[1] ?? '');
}

function applyTheme(theme: string): void {
  if (theme === '') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

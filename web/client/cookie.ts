const A_YEAR_S = 31_536_000;

/** What the server reads to answer in the visitor's own way; no more than that. */
export function remember(name: 'farwatch_theme' | 'farwatch_zone', value: string): void {
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${A_YEAR_S}; SameSite=Lax`;
}

const A_YEAR_S = 31_536_000;

/** What the server reads to answer in the visitor's own way; no more than that. */
export function remember(name: 'farwatch_theme' | 'farwatch_zone', value: string): void {
  const age = value === '' ? 0 : A_YEAR_S;
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${age}; SameSite=Lax`;
}

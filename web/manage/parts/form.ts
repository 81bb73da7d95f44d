/** The values of a form's named controls as texts; what is unchecked is absent. */
export function valuesOf(event: SubmitEvent): Record<string, string> {
  event.preventDefault();
  if (!(event.currentTarget instanceof HTMLFormElement)) return {};
  const entries = [...new FormData(event.currentTarget)];
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
}

/** `YYYY-MM-DDTHH:MM` of a local control as unix seconds in the browser's own zone; null where it is empty. */
export function secondsOf(local: string | undefined): number | null {
  const milliseconds = Date.parse(local ?? '');
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000);
}

/** Unix seconds as a `datetime-local` control takes them. */
export function localOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A moment as the browser's own language and zone write it. */
export function momentOf(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

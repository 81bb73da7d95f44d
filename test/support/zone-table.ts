/** A zone as a table of spans, made by asking for the wall clock hour by hour. Unix seconds; local ones as if in UTC. */
export interface ZoneTable {
  toLocal(instant: number): number;
  /** By the span before a gap; the first of two moments. */
  toInstant(local: number): number;
}

interface Span {
  from: number;
  to: number;
  offset: number;
}

/** Knows the moments between two years. */
export function readZoneTable(timeZone: string, firstYear: number, lastYear: number): ZoneTable {
  const spans = readSpans(timeZone, Date.UTC(firstYear, 0, 1) / 1000, Date.UTC(lastYear, 0, 1) / 1000);
  const first = spans[0] ?? { from: NaN, to: NaN, offset: NaN };
  return {
    toLocal: (instant) => instant + (spans.find(({ from, to }) => instant >= from && instant < to) ?? first).offset,
    toInstant(local) {
      const exact = spans.find(({ from, to, offset }) => local - offset >= from && local - offset < to);
      // In a gap, the last span that had ended by then on its own clock.
      const before = exact ?? spans.filter(({ to, offset }) => local - offset >= to).at(-1) ?? first;
      return local - before.offset;
    },
  };
}

function readSpans(timeZone: string, from: number, to: number): Span[] {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const offsetAt = (instant: number): number =>
    Date.parse(`${clock.format(instant * 1000).replace(' ', 'T')}Z`) / 1000 - instant;
  const spans: Span[] = [];
  for (let instant = from; instant < to; instant += 3600) {
    const offset = offsetAt(instant);
    const last = spans.at(-1);
    if (last?.offset === offset) {
      last.to = instant + 3600;
      continue;
    }
    let change = instant;
    while (last && offsetAt(change - 60) === offset) change -= 60;
    if (last) last.to = change;
    spans.push({ from: change, to: instant + 3600, offset });
  }
  return spans;
}

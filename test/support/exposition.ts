/** One figure as a scrape shows it. */
export interface Family {
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\n"])*)"(,|$)/y;

/** Reads Prometheus' text format (0.0.4), strictly. @throws where the text is not of that format. */
export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  for (const line of text.split('\n').filter((line) => line !== '')) {
    if (line.startsWith('#')) readComment(line, families);
    else readSeries(line, families, seen);
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

function readComment(line: string, families: Map<string, Family>): void {
  const [, helpName, help = ''] = HELP.exec(line) ?? [];
  if (helpName === undefined) return readType(line, families);
  if (families.has(helpName)) throw new Error(`twice: ${line}`);
  families.set(helpName, { type: '', help, samples: [] });
}

function readType(line: string, families: Map<string, Family>): void {
  const [, typeName = '', type = ''] = TYPE.exec(line) ?? [];
  const family = families.get(typeName);
  if (family?.type !== '' || family.samples.length > 0) throw new Error(`out of place: ${line}`);
  family.type = type;
}

function readSeries(line: string, families: Map<string, Family>, seen: Set<string>): void {
  const [, name = '', labelText = '', number = ''] = SAMPLE.exec(line) ?? [];
  const value = SPECIAL.get(number) ?? Number(number || 'no number');
  if (Number.isNaN(value) && number !== 'Nan') throw new Error(`no sample: ${line}`);
  const labels = readLabels(labelText, line);
  const series = JSON.stringify([name, Object.entries(labels).sort()]);
  if (seen.has(series)) throw new Error(`twice: ${line}`);
  seen.add(series);
  familyOf(families, name).samples.push({ name, labels, value });
}

const SPECIAL = new Map([
  ['+Inf', Infinity],
  ['-Inf', -Infinity],
  ['Nan', NaN],
]);

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    if (!match) throw new Error(`malformed labels: ${line}`);
    labels[match[1] ?? ''] = match[2] ?? '';
  }
  return labels;
}

function familyOf(families: Map<string, Family>, sample: string): Family {
  const direct = families.get(sample);
  if (direct !== undefined && direct.type !== 'histogram') return direct;
  const family = families.get(sample.replace(/_(bucket|sum|count)$/, ''));
  if (family === undefined || !['histogram', 'summary'].includes(family.type))
    throw new Error(`of no family: ${sample}`);
  return family;
}

function checkFamily(name: string, { type, samples }: Family): void {
  if (type === '') throw new Error(`${name} has no type`);
  if (type === 'counter' && !name.endsWith('_total')) throw new Error(`the counter ${name} does not end in _total`);
  // The client library's own figures are not all named by Prometheus' conventions.
  if (type !== 'counter' && name.endsWith('_total') && name.startsWith('farwatch_'))
    throw new Error(`${name} is no counter`);
  if (type === 'counter' && samples.some(({ value }) => value < 0)) throw new Error(`${name} is negative`);
  if (type === 'histogram') checkHistogram(name, samples);
}

/** Buckets only grow, and the last holds everything. */
function checkHistogram(name: string, samples: Family['samples']): void {
  const counts = samples.filter((sample) => sample.name === `${name}_count`);
  for (const { labels, value } of counts) {
    const of = (sample: Family['samples'][number]): boolean =>
      Object.entries(labels).every(([label, text]) => sample.labels[label] === text);
    const buckets = samples.filter((sample) => sample.name === `${name}_bucket` && of(sample));
    const values = buckets.map((bucket) => bucket.value);
    if (values.some((count, index) => count < (values[index - 1] ?? 0))) throw new Error(`${name}'s buckets shrink`);
    if (buckets.at(-1)?.labels.le !== '+Inf' || values.at(-1) !== value) throw new Error(`${name} is not complete`);
  }
}

/** The value of a series; 0 where it is not shown yet. */
export function valueOf(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number {
  const samples = familyOf(families, name).samples.filter((sample) => sample.name === name);
  const wanted = Object.entries(labels);
  return samples
    .filter((sample) => wanted.every(([label, text]) => sample.labels[label] === text))
    .reduce((sum, { value }) => sum + value, 0);
}

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Figures for Prometheus. Names carry their unit; what only grows ends in `_total`. docs/metrics.md lists all of them. */

export interface MetricSpec<L extends string = never> {
  name: string;
  help: string;
  labels?: readonly L[];
}

type Labels<L extends string> = Record<L, string>;
/** The value of a figure without labels, or one for each set of labels. */
export type Samples<L extends string> = number | Iterable<readonly [Labels<L>, number]>;

/** The figures of one program. */
export interface Metrics {
  /** A count that is kept elsewhere and read at each scrape; it only grows. */
  counter<const L extends string = never>(spec: MetricSpec<L>, read: () => Samples<L>): void;
  /** What something is at each scrape. */
  gauge<const L extends string = never>(spec: MetricSpec<L>, read: () => Samples<L>): void;
  /** A distribution. Returns what takes an observation in, in the unit of the name. */
  histogram<const L extends string = never>(
    spec: MetricSpec<L> & { buckets: readonly number[] },
  ): (value: number, labels?: Labels<L>) => void;
  /** A count that is kept here. Returns what adds to it. */
  count<const L extends string = never>(spec: MetricSpec<L>): (labels?: Labels<L>, by?: number) => void;
  /** All of them in Prometheus' text format. */
  scrape(): Promise<{ contentType: string; text: string }>;
}

/** Bounds the time series of one figure, whatever its labels are made of. */
const MAX_SERIES = 500;

/** The figures of a program, beginning with those of its process: CPU, memory, descriptors, event loop, garbage. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const common = <L extends string>({ name, help, labels = [] }: MetricSpec<L>) => {
    return { name, help, labelNames: labels, registers: [registry] };
  };
  return {
    counter(spec, read) {
      const counter: Counter = new Counter({
        ...common(spec),
        collect() {
          counter.reset();
          for (const [labels, value] of seriesOf(read())) counter.inc(labels, value);
        },
      });
    },
    gauge(spec, read) {
      const gauge: Gauge = new Gauge({
        ...common(spec),
        collect() {
          gauge.reset();
          for (const [labels, value] of seriesOf(read())) gauge.set(labels, value);
        },
      });
    },
    histogram(spec) {
      const histogram: Histogram = new Histogram({ ...common(spec), buckets: [...spec.buckets] });
      return (value, labels) => histogram.observe(labels ?? {}, value);
    },
    count(spec) {
      const counter: Counter = new Counter(common(spec));
      return (labels, by = 1) => counter.inc(labels ?? {}, by);
    },
    scrape: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

function seriesOf<L extends string>(samples: Samples<L>): (readonly [Partial<Labels<L>>, number])[] {
  if (typeof samples === 'number') return [[{}, samples]];
  return [...samples].slice(0, MAX_SERIES);
}

/** Buckets in seconds from a millisecond to half a minute. */
export const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Samples of counts by one name, as a map keeps them. */
export function byLabel<const L extends string>(
  label: L,
  counts: Iterable<readonly [string, number]>,
): [Labels<L>, number][] {
  // The record has exactly this one label.
  return Array.from(counts, ([name, count]) => [{ [label]: name } as Labels<L>, count]);
}

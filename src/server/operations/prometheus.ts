// Stores metrics in memory and formats them as Prometheus text.
import type { Counter, Gauge, Histogram, Labels, Metrics } from "./metrics.ts";

/** The default bounds of buckets in seconds. The range includes cached answers as well as answers that take minutes. */
const DEFAULT_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/**
 * The maximum number of series of a metric, which limits the memory if the values of a label rarely repeat. Values of
 * further series are added to the series `overflow="true"`.
 */
const MAX_SERIES = 2000;

interface MetricFamily {
  kind: "counter" | "gauge" | "histogram";
  help: string;
  lines(name: string): string[];
}

export function createMetrics(): Metrics {
  const families = new Map<string, MetricFamily>();
  const getOrCreate = <Kind extends MetricFamily>(name: string, make: () => Kind): Kind => {
    const family = families.get(name);
    const created = make();
    // The cast is safe: metrics of the same kind have the same class.
    if (family !== undefined && family.kind === created.kind) return family as Kind;
    if (family !== undefined) throw new TypeError(`The metric ${name} is a ${family.kind} already.`);
    families.set(name, created);
    return created;
  };
  return {
    counter: (name, help) => getOrCreate(name, () => new NumberMetric("counter", help)),
    gauge: (name, help) => getOrCreate(name, () => new NumberMetric("gauge", help)),
    histogram: (name, help, buckets = DEFAULT_BUCKETS) => getOrCreate(name, () => new HistogramMetric(help, buckets)),
    text() {
      let text = "";
      for (const [name, family] of families) {
        text += `# HELP ${name} ${family.help}\n# TYPE ${name} ${family.kind}\n`;
        for (const each of family.lines(name)) text += `${each}\n`;
      }
      return text;
    },
  };
}

/** The values of a metric by label text. */
class MetricSeries<Value> {
  readonly values = new Map<string, Value>();
  /** A cache of the values by label object. Frequent callers pass the same label objects, which need no formatting. */
  readonly #known = new WeakMap<Labels, Value>();
  readonly #make: () => Value;

  constructor(make: () => Value) {
    this.#make = make;
  }

  of(labels: Labels | undefined): Value {
    if (labels === undefined) return this.values.get("") ?? this.#add("");
    const known = this.#known.get(labels);
    if (known !== undefined) return known;
    const key = labelText(labels);
    const value = this.values.get(key) ?? this.#add(key);
    this.#known.set(labels, value);
    return value;
  }

  #add(key: string): Value {
    const name = this.values.size < MAX_SERIES ? key : 'overflow="true"';
    const value = this.values.get(name) ?? this.#make();
    this.values.set(name, value);
    return value;
  }
}

class NumberMetric implements MetricFamily, Counter, Gauge {
  readonly kind: "counter" | "gauge";
  readonly help: string;
  readonly #series = new MetricSeries(() => ({ value: 0 }));

  constructor(kind: "counter" | "gauge", help: string) {
    this.kind = kind;
    this.help = help;
  }

  add(n = 1, labels?: Labels): void {
    this.#series.of(labels).value += n;
  }

  set(value: number, labels?: Labels): void {
    this.#series.of(labels).value = value;
  }

  lines(name: string): string[] {
    return [...this.#series.values].map(([labels, { value }]) => line(name, labels, value));
  }
}

class HistogramMetric implements MetricFamily, Histogram {
  readonly kind = "histogram";
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #series: MetricSeries<{ counts: number[]; sum: number }>;

  constructor(help: string, bounds: readonly number[]) {
    this.help = help;
    this.#bounds = [...bounds].sort((a, b) => a - b);
    this.#series = new MetricSeries(() => ({ counts: [...this.#bounds, Infinity].map(() => 0), sum: 0 }));
  }

  observe(value: number, labels?: Labels): void {
    const series = this.#series.of(labels);
    let index = 0;
    while (value > (this.#bounds[index] ?? Infinity)) index++;
    series.counts[index] = (series.counts[index] ?? 0) + 1;
    series.sum += value;
  }

  lines(name: string): string[] {
    const lines: string[] = [];
    for (const [labels, { counts, sum }] of this.#series.values) {
      let total = 0;
      for (const [index, count] of counts.entries()) {
        total += count;
        const le = `le="${this.#bounds[index] ?? "+Inf"}"`;
        lines.push(line(`${name}_bucket`, labels === "" ? le : `${labels},${le}`, total));
      }
      lines.push(line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, total));
    }
    return lines;
  }
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === "" ? "" : `{${labels}}`} ${value}`;
}

/** Formats labels in their given order. The text identifies the series, so each metric must use one order of labels. */
function labelText(labels: Labels): string {
  let text = "";
  for (const name in labels) {
    const value = labels[name] ?? "";
    text += `${text === "" ? "" : ","}${name}="${UNSAFE.test(value) ? escaped(value) : value}"`;
  }
  return text;
}

const UNSAFE = /[\\"\n]/;

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

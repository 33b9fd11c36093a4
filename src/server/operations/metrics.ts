// Counters, gauges and histograms, and their Prometheus text.

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(n?: number, labels?: Labels): void;
}
export interface Gauge {
  set(value: number, labels?: Labels): void;
  add(n: number, labels?: Labels): void;
}
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

export interface Metrics {
  /** The same name gives the same one. Labels must have few values: never a thread, a token's text or a path with ids. */
  counter(name: string, help: string): Counter;
  gauge(name: string, help: string): Gauge;
  histogram(name: string, help: string, buckets?: readonly number[]): Histogram;
  /** The exposition format, version 0.0.4. */
  text(): string;
}

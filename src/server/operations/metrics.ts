// Interfaces of counters, gauges and histograms.

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
  /**
   * The same name returns the same counter. Labels must have few values: never thread ids, tokens or paths with ids.
   */
  counter(name: string, help: string): Counter;
  gauge(name: string, help: string): Gauge;
  histogram(name: string, help: string, buckets?: readonly number[]): Histogram;
  /** Returns the Prometheus text format, version 0.0.4. */
  text(): string;
}

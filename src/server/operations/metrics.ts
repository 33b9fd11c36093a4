// Defines the interfaces of metrics: counters, gauges and histograms.

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
   * Returns the counter with this name, and creates it at the first call. Labels must have few different values, so
   * they must not contain thread ids, tokens or paths with ids.
   */
  counter(name: string, help: string): Counter;
  gauge(name: string, help: string): Gauge;
  histogram(name: string, help: string, buckets?: readonly number[]): Histogram;
  /** Returns all metrics in the Prometheus text format, version 0.0.4. */
  text(): string;
}

// Interfaces of spans by OpenTelemetry's GenAI conventions; without an exporter, spans do nothing.

export type SpanFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface TraceSpan {
  set(fields: SpanFields): void;
  /** Ends the span; with an error it is marked as failed. */
  end(error?: unknown): void;
}

export interface Tracer {
  /** `parent` is the request's W3C `traceparent` header. */
  span(name: string, fields: SpanFields, parent?: string): TraceSpan;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

// Defines the interfaces of tracing. Spans follow OpenTelemetry's conventions for GenAI. If no exporter is configured,
// spans have no effect.

export type SpanFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface TraceSpan {
  set(fields: SpanFields): void;
  /** Ends the span; an error marks the span as failed. */
  end(error?: unknown): void;
}

export interface Tracer {
  /** Starts a span. `parent` is the W3C `traceparent` header of the HTTP request. */
  span(name: string, fields: SpanFields, parent?: string): TraceSpan;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

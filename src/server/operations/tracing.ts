// Spans by OpenTelemetry's GenAI conventions, where an exporter is configured; else nothing at all.

export type SpanFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface Span {
  set(fields: SpanFields): void;
  /** Ends it; with an error it is marked as failed. */
  end(error?: unknown): void;
}

export interface Tracer {
  /** `parent`: a W3C `traceparent` header of the request, where it has one. */
  span(name: string, fields: SpanFields, parent?: string): Span;
  /** Sends what is left. */
  close(): Promise<void>;
}

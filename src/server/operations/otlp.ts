// Exports spans to an OpenTelemetry collector in batches, as OTLP over HTTP in JSON. If the collector is slow or
// unreachable, spans are dropped and counted, but no model call is delayed.
import type { Transport } from "../../client/index.ts";
import type { ServerConfig } from "../config/types.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { createSpanMaker, NO_SPAN } from "./spans.ts";
import type { FinishedSpan } from "./spans.ts";
import type { Tracer } from "./tracing.ts";

/** The maximum number of queued spans; further spans are dropped. */
const MAX_QUEUED_SPANS = 4096;
const BATCH = 512;
/** The maximum time for which a span waits for its batch to fill, in milliseconds. */
const EVERY_MS = 2000;
/** The time limit for sending one batch, in milliseconds. */
const SEND_MS = 10_000;
/** The time limit for sending all remaining batches at shutdown, in milliseconds. */
const CLOSE_MS = 2000;

export interface TracerOptions {
  telemetry: ServerConfig["telemetry"];
  transport: () => Transport;
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  /** Returns random bytes as hexadecimal digits. */
  randomHex: (bytes: number) => string;
  instance: string;
  log: Logger;
  metrics: Metrics;
}

const DISABLED_TRACER: Tracer = { span: () => NO_SPAN, close: async () => {} };

export function createTracer(options: TracerOptions): Tracer {
  const { telemetry } = options;
  if (telemetry === undefined) return DISABLED_TRACER;
  const exporter = new SpanExporter(telemetry, options);
  const span = createSpanMaker(options, (each) => exporter.add(each));
  return { span, close: () => exporter.close() };
}

class SpanExporter {
  readonly #telemetry: NonNullable<ServerConfig["telemetry"]>;
  readonly #options: TracerOptions;
  readonly #dropped;
  #queue: FinishedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isFailureLogged = false;
  /** The controller that aborts all sending when `close` has waited for `CLOSE_MS`. */
  readonly #late = new AbortController();

  constructor(telemetry: NonNullable<ServerConfig["telemetry"]>, options: TracerOptions) {
    this.#telemetry = telemetry;
    this.#options = options;
    this.#dropped = options.metrics.counter(
      "koine_spans_dropped_total",
      "Spans that could not be sent to a collector.",
    );
  }

  add(span: FinishedSpan): void {
    if (this.#queue.length >= MAX_QUEUED_SPANS) {
      this.#dropped.add(1);
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= BATCH) void this.#flush();
    // The timer is unreferenced, so that queued spans do not keep the process alive. `close` sends the queued spans.
    else this.#timer ??= setTimeout(() => void this.#flush(), EVERY_MS).unref();
  }

  async close(): Promise<void> {
    const timer = setTimeout(
      () => this.#late.abort(new Error(`The collector took longer than ${CLOSE_MS} ms.`)),
      CLOSE_MS,
    );
    await this.#flush();
    clearTimeout(timer);
  }

  /** Sends batches one after the other until the queue is empty. */
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH);
      try {
        await this.#send(batch);
        this.#isFailureLogged = false;
      } catch (error) {
        this.#dropped.add(batch.length);
        // Only the first of several successive failures is logged.
        if (!this.#isFailureLogged) this.#options.log.error("telemetry not sent", { spans: batch.length }, error);
        this.#isFailureLogged = true;
      }
    }
  }

  async #send(spans: readonly FinishedSpan[]): Promise<void> {
    const { url, headers, serviceName } = this.#telemetry;
    const resource = attributes({ "service.name": serviceName, "service.instance.id": this.#options.instance });
    const scopeSpans = [{ scope: { name: "koine" }, spans: spans.map(wireSpan) }];
    const reply = await this.#options.transport().send(
      {
        method: "POST",
        url: tracesUrl(url),
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ resourceSpans: [{ resource: { attributes: resource }, scopeSpans }] }),
      },
      { signal: AbortSignal.any([AbortSignal.timeout(SEND_MS), this.#late.signal]), connectMs: SEND_MS },
    );
    reply.discard();
    if (reply.status >= 300) throw new Error(`The collector answered with status ${reply.status}.`);
  }
}

/** Returns the URL for traces. If the configured URL is only the base URL of the collector, the path is added. */
function tracesUrl(url: string): string {
  return /\/v1\/traces\/?$/.test(url) ? url : `${url.replace(/\/$/, "")}/v1/traces`;
}

const STATUS_ERROR = 2;
const KIND_CLIENT = 3;

function wireSpan(span: FinishedSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId === undefined ? {} : { parentSpanId: span.parentId }),
    name: span.name,
    kind: KIND_CLIENT,
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt),
    attributes: attributes(span.fields),
    status: span.error === undefined ? {} : { code: STATUS_ERROR, message: span.error },
  };
}

/** Converts milliseconds to nanoseconds. Returns a string, because a double cannot represent the number exactly. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function attributes(fields: FinishedSpan["fields"]): object[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean | readonly string[]): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { arrayValue: { values: value.map(anyValue) } };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

// Spans to an OpenTelemetry collector: OTLP over HTTP as JSON, in batches. A collector that is slow or away costs spans,
// which are counted, and never a call.
import type { Transport } from "../../client/index.ts";
import type { ServerConfig } from "../config/types.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { createSpanMaker, NO_SPAN } from "./spans.ts";
import type { FinishedSpan } from "./spans.ts";
import type { Tracer } from "./tracing.ts";

/** The most spans that wait; what comes beyond is dropped. */
const MOST_WAITING = 4096;
const BATCH = 512;
const EVERY_MS = 2000;
const SEND_MS = 10_000;
/** How long a shutdown waits for a collector, however many batches are left. */
const CLOSE_MS = 2000;

export interface TracerOptions {
  telemetry: ServerConfig["telemetry"];
  transport: () => Transport;
  /** Milliseconds since 1970. */
  now: () => number;
  /** So many random bytes, as hex. */
  randomHex: (bytes: number) => string;
  instance: string;
  log: Logger;
  metrics: Metrics;
}

const NOTHING: Tracer = { span: () => NO_SPAN, close: async () => {} };

export function createTracer(options: TracerOptions): Tracer {
  const { telemetry } = options;
  if (telemetry === undefined) return NOTHING;
  const exporter = new Exporter(telemetry, options);
  const span = createSpanMaker(options, (each) => exporter.add(each));
  return { span, close: () => exporter.close() };
}

class Exporter {
  readonly #telemetry: NonNullable<ServerConfig["telemetry"]>;
  readonly #options: TracerOptions;
  readonly #dropped;
  #waiting: FinishedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isTold = false;
  /** Aborted when nothing more is waited for. */
  readonly #late = new AbortController();

  constructor(telemetry: NonNullable<ServerConfig["telemetry"]>, options: TracerOptions) {
    this.#telemetry = telemetry;
    this.#options = options;
    this.#dropped = options.metrics.counter("koine_spans_dropped_total", "Spans that no collector took.");
  }

  add(span: FinishedSpan): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped.add(1);
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= BATCH) void this.#flush();
    // Spans that wait are no reason for a process to live: `close` sends them.
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

  /** One batch at a time, until none is left. */
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        await this.#send(batch);
        this.#isTold = false;
      } catch (error) {
        this.#dropped.add(batch.length);
        // Once, and again only after it has worked in between.
        if (!this.#isTold) this.#options.log.error("telemetry not sent", { spans: batch.length }, error);
        this.#isTold = true;
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

/** The usual variable names the collector; spans have a path of their own there. */
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

/** As text: a double does not hold it. */
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

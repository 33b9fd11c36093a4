// Creates spans with ids and fields, as children of the client's span if the client sent one. Spans never contain
// message contents.
import type { TraceSpan, SpanFields, Tracer } from "./tracing.ts";

export interface FinishedSpan {
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  name: string;
  /** The start, in milliseconds since 1970. */
  startedAt: number;
  /** The end, in milliseconds since 1970. */
  endedAt: number;
  fields: SpanFields;
  error: string | undefined;
}

interface SpanMakerOptions {
  now: () => number;
  randomHex: (bytes: number) => string;
}

/** Matches a W3C `traceparent` header. Ids that consist only of zeros are invalid. */
const PARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})/;

const SAMPLED = "01";
export const NO_SPAN: TraceSpan = { set() {}, end() {} };

export function createSpanMaker(
  { now, randomHex }: SpanMakerOptions,
  finished: (span: FinishedSpan) => void,
): Tracer["span"] {
  return (name, fields, parent): TraceSpan => {
    const [, traceId = randomHex(16), parentId, flags = SAMPLED] = PARENT.exec(parent ?? "") ?? [];
    // No span is created if the client does not sample its trace.
    if ((Number.parseInt(flags, 16) & 1) === 0) return NO_SPAN;
    const span: FinishedSpan = {
      traceId,
      spanId: randomHex(8),
      parentId,
      name,
      startedAt: now(),
      endedAt: 0,
      fields,
      error: undefined,
    };
    let isOpen = true;
    return {
      set(more) {
        span.fields = { ...span.fields, ...more };
      },
      end(error) {
        if (!isOpen) return;
        isOpen = false;
        span.endedAt = now();
        if (error !== undefined) {
          const kind = toErrorType(error);
          span.error = kind;
          span.fields = { ...span.fields, "error.type": kind };
        }
        finished(span);
      },
    };
  };
}

/** Returns the kind, code or name of an error. The error's message is not used, because it may quote a conversation. */
function toErrorType(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null) return "unknown";
  for (const name of ["kind", "code", "name"] as const) {
    // The cast is safe: the properties of any object can be read by name.
    const value = (error as Record<string, unknown>)[name];
    if (typeof value === "string") return value;
  }
  return "unknown";
}

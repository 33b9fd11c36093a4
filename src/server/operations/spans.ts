// Spans while they are open: their ids, their place in the client's trace, and their facts. Contents are never among them.
import type { Span, SpanFields, Tracer } from "./tracing.ts";

export interface FinishedSpan {
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  name: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  fields: SpanFields;
  error: string | undefined;
}

interface Making {
  now: () => number;
  randomHex: (bytes: number) => string;
}

/** The only version there is; zeros name nothing. */
const PARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})/;

const SAMPLED = "01";
export const NO_SPAN: Span = { set() {}, end() {} };

export function createSpanMaker({ now, randomHex }: Making, finished: (span: FinishedSpan) => void): Tracer["span"] {
  return (name, fields, parent): Span => {
    const [, traceId = randomHex(16), parentId, flags = SAMPLED] = PARENT.exec(parent ?? "") ?? [];
    // Whoever asks has decided that this trace is not kept.
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
          const kind = kindOf(error);
          span.error = kind;
          span.fields = { ...span.fields, "error.type": kind };
        }
        finished(span);
      },
    };
  };
}

/** A code or a kind; a message could quote what was said. */
function kindOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null) return "unknown";
  for (const name of ["kind", "code", "name"] as const) {
    // Any object may have any field.
    const value = (error as Record<string, unknown>)[name];
    if (typeof value === "string") return value;
  }
  return "unknown";
}

// Middleware around a call: the first one is outermost, and what it leaves out passes.
import type { Call, Middleware } from "../middleware/types.ts";
import type { Answer, AnswerStream } from "../types.ts";

/** The two ways to ask. */
export interface Asking {
  complete(call: Call): Promise<Answer>;
  stream(call: Call): AnswerStream;
}

/** Wraps the core in every middleware. */
export function wrap(core: Asking, middleware: readonly Middleware[]): Asking {
  return middleware.reduceRight<Asking>(
    (inner, layer) => ({
      complete: async (call) =>
        layer.complete === undefined ? inner.complete(call) : layer.complete(call, (next) => inner.complete(next)),
      stream: (call) =>
        layer.stream === undefined ? inner.stream(call) : layer.stream(call, (next) => inner.stream(next)),
    }),
    core,
  );
}

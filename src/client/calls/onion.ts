// Middleware around a call: the first one is outermost, and what it leaves out passes. A layer is the caller's own code:
// what it passes on and gives back is looked at, and what it throws reaches whoever reads.
import { fault, hasMethods, isRecord } from "../checks.ts";
import { deferStream } from "../middleware/defer.ts";
import type { Call, Middleware } from "../middleware/types.ts";
import type { Answer, AnswerStream } from "../types.ts";

/** The two ways to ask. */
export interface Asking {
  complete(call: Call): Promise<Answer>;
  stream(call: Call): AnswerStream;
}

/** Wraps the core in every middleware. */
export function wrap(core: Asking, middleware: readonly Middleware[]): Asking {
  return middleware.reduceRight<Asking>((inner, layer, index) => {
    const path = `/middleware/${index}`;
    return {
      complete: layer.complete === undefined ? (call) => inner.complete(call) : completeIn(layer, inner, path),
      stream: layer.stream === undefined ? (call) => inner.stream(call) : streamIn(layer, inner, path),
    };
  }, core);
}

function completeIn(layer: Middleware, inner: Asking, path: string): Asking["complete"] {
  const next = async (call: Call): Promise<Answer> => inner.complete(checkPassed(call, `${path}/complete`));
  return async (call) => {
    const answer: unknown = await layer.complete?.(call, next);
    if (isRecord(answer) && isRecord(answer["message"])) return answer as unknown as Answer;
    throw fault(`${path}/complete`, "gave no answer: it must return what next(call) gives, or an answer of its own.");
  };
}

const isStream = hasMethods("next", "batches", "response", "cancel");

function streamIn(layer: Middleware, inner: Asking, path: string): Asking["stream"] {
  const next = (call: Call): AnswerStream => inner.stream(checkPassed(call, `${path}/stream`));
  return (call) =>
    streamOf(() => {
      const stream = layer.stream?.(call, next);
      if (stream !== undefined && isStream(stream)) return stream;
      throw fault(
        `${path}/stream`,
        "gave no stream: it must return what next(call) gives; for a later one there is deferStream.",
      );
    });
}

/** What `open` gives; what it throws, the reader is thrown, as with everything that goes wrong in a stream. */
export function streamOf(open: () => AnswerStream): AnswerStream {
  try {
    return open();
  } catch (error) {
    return deferStream(() => {
      throw error;
    });
  }
}

function checkPassed(call: Call, path: string): Call {
  if (isRecord(call) && isRecord(call.request) && isRecord(call.options)) return call;
  throw fault(path, "must pass { request, options } to next.");
}

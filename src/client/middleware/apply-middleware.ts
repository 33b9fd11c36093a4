// Applies middleware around calls; the first middleware is outermost. Middleware is code of Koine's users, so its calls
// of `next` and its results are checked. If the `stream` method of a middleware throws, the error is thrown when the
// stream is read.
import type { Answer, AnswerStream } from "../../calls/index.ts";
import { configurationError, hasMethods } from "../../calls/index.ts";
import { isRecord } from "../../model/value-kind.ts";
import { deferStream } from "./defer-stream.ts";
import type { Call, Middleware } from "./types.ts";

/** The two kinds of calls that middleware wraps. */
export interface CallHandlers {
  complete(call: Call): Promise<Answer>;
  stream(call: Call): AnswerStream;
}

/** Returns handlers that call every middleware and then `core`. */
export function applyMiddleware(core: CallHandlers, middleware: readonly Middleware[]): CallHandlers {
  return middleware.reduceRight<CallHandlers>((inner, layer, index) => {
    const path = `/middleware/${index}`;
    return {
      complete: layer.complete === undefined ? (call) => inner.complete(call) : wrapComplete(layer, inner, path),
      stream: layer.stream === undefined ? (call) => inner.stream(call) : wrapStream(layer, inner, path),
    };
  }, core);
}

function wrapComplete(layer: Middleware, inner: CallHandlers, path: string): CallHandlers["complete"] {
  const next = async (call: Call): Promise<Answer> => inner.complete(assertCall(call, `${path}/complete`));
  return async (call) => {
    const answer: unknown = await layer.complete?.(call, next);
    if (isRecord(answer) && isRecord(answer["message"])) return answer as unknown as Answer;
    throw configurationError(
      `${path}/complete`,
      "returned no answer: return the result of next(call), or an answer of its own.",
    );
  };
}

const isStream = hasMethods("next", "batches", "response", "cancel");

function wrapStream(layer: Middleware, inner: CallHandlers, path: string): CallHandlers["stream"] {
  const next = (call: Call): AnswerStream => inner.stream(assertCall(call, `${path}/stream`));
  return (call) =>
    streamOrError(() => {
      const stream = layer.stream?.(call, next);
      if (stream !== undefined && isStream(stream)) return stream;
      throw configurationError(
        `${path}/stream`,
        "returned no stream: return the result of next(call), or use deferStream for a stream that opens later.",
      );
    });
}

/**
 * Returns the stream that `open` returns. If `open` throws, returns a stream that throws the same error when it is
 * read.
 */
export function streamOrError(open: () => AnswerStream): AnswerStream {
  try {
    return open();
  } catch (error) {
    return deferStream(() => {
      throw error;
    });
  }
}

function assertCall(call: Call, path: string): Call {
  if (isRecord(call) && isRecord(call.request) && isRecord(call.options)) return call;
  throw configurationError(path, "must pass { request, options } to next.");
}

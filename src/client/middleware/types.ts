// Defines the middleware interface: wrappers around `complete` and `stream`.
import type { Answer, AnswerStream, CallOptions } from "../../calls/index.ts";
import type { ModelRequest } from "../../model/index.ts";

/** A request and its options, which middleware receives. Pass a changed copy to `next` to change the call. */
export interface Call {
  readonly request: ModelRequest;
  readonly options: CallOptions;
}

/**
 * Wraps the calls of a client. Calls of an absent method are passed on unchanged. Retries and fallbacks happen inside
 * `next`.
 */
export interface Middleware {
  /** The name of the middleware, for errors and logs. */
  name?: string;
  complete?(call: Call, next: (call: Call) => Promise<Answer>): Promise<Answer>;
  stream?(call: Call, next: (call: Call) => AnswerStream): AnswerStream;
}

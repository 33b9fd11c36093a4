// The middleware interface: wrappers around `complete` and `stream`.
import type { Answer, AnswerStream, CallOptions } from "../../calls/index.ts";
import type { ModelRequest } from "../../model/index.ts";

/** A request and its options, as middleware receives them. Pass a changed copy to `next` to change the call. */
export interface Call {
  readonly request: ModelRequest;
  readonly options: CallOptions;
}

/** Wraps calls. A method that is absent passes calls through. Retries and fallbacks happen inside `next`. */
export interface Middleware {
  /** For errors and logs. */
  name?: string;
  complete?(call: Call, next: (call: Call) => Promise<Answer>): Promise<Answer>;
  stream?(call: Call, next: (call: Call) => AnswerStream): AnswerStream;
}

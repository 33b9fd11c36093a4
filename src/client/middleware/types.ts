// The contract of middleware: an onion around complete and stream.
import type { ModelRequest } from "../../model/index.ts";
import type { Answer, AnswerStream, CallOptions } from "../types.ts";

/** A call on its way in. Pass a changed copy to `next` to change it. */
export interface Call {
  readonly request: ModelRequest;
  readonly options: CallOptions;
}

/** Either may be left out: the call then passes. Retries and fallbacks happen inside. */
export interface Middleware {
  /** For errors and logs. */
  name?: string;
  complete?(call: Call, next: (call: Call) => Promise<Answer>): Promise<Answer>;
  stream?(call: Call, next: (call: Call) => AnswerStream): AnswerStream;
}

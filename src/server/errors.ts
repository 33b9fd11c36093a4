// Defines the server's errors, each with a stable code, an HTTP status and a message that names the remedy. Errors of
// providers and of the ledger are converted to `ServerError` and encoded in the error format of the client's protocol.
import { KoineError } from "../model/errors.ts";
import type { ProviderError } from "../model/index.ts";

/** Error codes of the server, each with its HTTP status and its meaning. */
export const SERVER_ERRORS = {
  configuration: { status: 500, meaning: "A setting is invalid; the server does not start." },
  "invalid-request": { status: 400, meaning: "The request is invalid; `path` names the faulty field." },
  untranslatable: { status: 400, meaning: "The translation would change the meaning of the request." },
  unauthorized: { status: 401, meaning: "The token is missing or unknown." },
  forbidden: { status: 403, meaning: "The host, origin or token is not allowed." },
  "not-found": { status: 404, meaning: "The path, model, thread, run, response or task does not exist." },
  "method-not-allowed": { status: 405, meaning: "The path exists, but not for this method." },
  timeout: { status: 408, meaning: "The request took too long to arrive." },
  conflict: { status: 409, meaning: "The state has changed, or the idempotency key was used for another request." },
  gone: { status: 410, meaning: "The events after the cursor are no longer stored." },
  "too-large": { status: 413, meaning: "The body exceeds the size or nesting limit." },
  "unsupported-media": { status: 415, meaning: "The body is not JSON, or its content encoding is not supported." },
  "too-many": { status: 429, meaning: "The tenant has reached its limit of open calls." },
  "headers-too-large": { status: 431, meaning: "The headers exceed the limit." },
  internal: { status: 500, meaning: "An internal error; the log has the details under the request id." },
  unsupported: { status: 501, meaning: "Koine does not support this part of the protocol." },
  upstream: { status: 502, meaning: "The provider failed, or its reply cannot be decoded." },
  unavailable: { status: 503, meaning: "The ledger is not writable, or the server is shutting down." },
  "upstream-timeout": { status: 504, meaning: "The provider did not answer in time." },
  aborted: { status: 499, meaning: "The client disconnected before the reply was complete." },
} as const;
/** The stable code of a `ServerError`. */
export type ServerErrorCode = keyof typeof SERVER_ERRORS;

/** Optional details of a `ServerError`. */
export interface ServerErrorDetails extends ErrorOptions {
  /** The faulty field: a JSON pointer into the body, or the name of a header, query field or path parameter. */
  path?: string | undefined;
  /** The HTTP status; undefined if it is the status of the code in `SERVER_ERRORS`. */
  status?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** The provider's error; undefined if no provider caused the error. */
  error?: ProviderError | undefined;
}

/** An error of the server, with a stable code and an HTTP status. */
export class ServerError extends KoineError<ServerErrorCode> {
  override readonly name = "ServerError";
  readonly status: number;
  readonly path: string;
  /** Headers of the error reply, such as `retry-after` or `allow`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly error: ProviderError | undefined;

  constructor(code: ServerErrorCode, message: string, details: ServerErrorDetails = {}) {
    super(code, message, "cause" in details ? { cause: details.cause } : undefined);
    this.status = details.status ?? SERVER_ERRORS[code].status;
    this.path = details.path ?? "";
    this.headers = details.headers ?? {};
    this.error = details.error;
  }
}

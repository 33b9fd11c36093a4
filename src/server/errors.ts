// The server's errors: a stable code, the status that it stands for, and a message that tells what to do. What providers
// and the ledger say is put into these words, and from them into those of whoever asked.
import { KoineError } from "../model/errors.ts";
import type { ProviderError } from "../model/index.ts";

/** Code → its status and what it means. */
export const SERVER_ERRORS = {
  configuration: { status: 500, says: "A setting is not what it must be; the server does not start." },
  "invalid-request": { status: 400, says: "The request cannot be understood; the path names the place." },
  untranslatable: { status: 400, says: "The model would be asked another question than was said." },
  unauthorized: { status: 401, says: "No token, or none that is known." },
  forbidden: { status: 403, says: "This host, origin or token may not do this." },
  "not-found": { status: 404, says: "There is no such path, model, thread, run, response or task." },
  "method-not-allowed": { status: 405, says: "The path is there, but not for this method." },
  timeout: { status: 408, says: "The request took too long to arrive." },
  conflict: { status: 409, says: "Something else was done meanwhile, or with the same key." },
  gone: { status: 410, says: "A cursor whose events are not kept any more." },
  "too-large": { status: 413, says: "The body is larger, or nested deeper, than the server takes." },
  "unsupported-media": { status: 415, says: "The body is no JSON, or is encoded in a way that is not read." },
  "too-many": { status: 429, says: "The tenant has as many calls open as it may." },
  "headers-too-large": { status: 431, says: "Too many or too long headers." },
  internal: { status: 500, says: "A fault of Koine's own; the log has it under the request's id." },
  unsupported: { status: 501, says: "A part of the protocol that Koine does not have." },
  upstream: { status: 502, says: "The provider failed, or its reply cannot be read." },
  unavailable: { status: 503, says: "The ledger cannot be written to, or the server is shutting down." },
  "upstream-timeout": { status: 504, says: "The provider did not answer in time." },
  aborted: { status: 499, says: "The client left before the reply was whole." },
} as const;
export type ServerErrorCode = keyof typeof SERVER_ERRORS;

export interface ServerErrorDetails extends ErrorOptions {
  /** A JSON pointer into the body, or the name of a header or query field. */
  path?: string | undefined;
  /** Where it is another one than the code's. */
  status?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** What a provider said, in the common words. */
  error?: ProviderError | undefined;
}

export class ServerError extends KoineError<ServerErrorCode> {
  override readonly name = "ServerError";
  readonly status: number;
  readonly path: string;
  /** Sent with the reply: `retry-after`, `allow` … */
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

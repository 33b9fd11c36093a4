// Transport errors: failures of the connection, as opposed to errors that a provider replies with.
import { KoineError } from "../../model/errors.ts";

/** The stage at which an exchange failed: making the request, connecting, waiting for the reply's headers, or reading its body. */
export type TransportStage = "request" | "connect" | "headers" | "body";

/** Details of a `TransportError`. */
export interface TransportErrorDetails extends ErrorOptions {
  stage: TransportStage;
  /** The code of the system or the library: ECONNREFUSED, ENOTFOUND, UND_ERR_SOCKET … */
  reason?: string | undefined;
  /** True (default) if the same request may succeed later. */
  retryable?: boolean | undefined;
}

/** A connection that could not be opened, or that broke. It never contains a header, and therefore no key. */
export class TransportError extends KoineError<"network" | "timeout"> {
  override readonly name = "TransportError";
  readonly stage: TransportStage;
  readonly reason: string | undefined;
  readonly retryable: boolean;

  constructor(kind: "network" | "timeout", message: string, details: TransportErrorDetails) {
    super(kind, message, "cause" in details ? { cause: details.cause } : undefined);
    this.stage = details.stage;
    this.reason = details.reason;
    this.retryable = details.retryable ?? true;
  }

  get kind(): "network" | "timeout" {
    return this.code;
  }
}

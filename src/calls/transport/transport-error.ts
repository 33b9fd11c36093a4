// Defines transport errors: failures of the connection, in contrast to errors that a provider sends in its reply.
import { KoineError } from "../../model/errors.ts";

/**
 * The stage at which an exchange failed: creating the request, connecting, waiting for the headers of the reply, or
 * reading its body.
 */
export type TransportStage = "request" | "connect" | "headers" | "body";

/** Details of a `TransportError`. */
export interface TransportErrorDetails extends ErrorOptions {
  stage: TransportStage;
  /** The error code of the system or the library, such as ECONNREFUSED, ENOTFOUND or UND_ERR_SOCKET. */
  reason?: string | undefined;
  /** True if the same request may succeed later. Default: true. */
  retryable?: boolean | undefined;
}

/** The error of a connection that could not be opened or that broke. It contains no header, and therefore no key. */
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

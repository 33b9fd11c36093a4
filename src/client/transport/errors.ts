// What goes wrong between here and a provider, before there is anything that the provider itself has said.
import { KoineError } from "../../model/errors.ts";

/** How far the exchange had come: a request that can be sent, the connection, the headers of the reply, or its body. */
export type TransportStage = "request" | "connect" | "headers" | "body";

export interface TransportErrorDetails extends ErrorOptions {
  stage: TransportStage;
  /** The system's or the library's own word: ECONNREFUSED, ENOTFOUND, UND_ERR_SOCKET … */
  reason?: string | undefined;
  /** Whether the same request may succeed later; default: it may. */
  retryable?: boolean | undefined;
}

/** A connection that could not be made, or that broke. It never holds a header, so that no key is in it. */
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

// Creates the errors for bodies that cannot be read, for both HTTP adapters (node:http and fetch API).
import { ServerError } from "../errors.ts";

export function createTooLargeError(maxBytes: number): ServerError {
  return new ServerError("too-large", `The body is larger than ${maxBytes} bytes, the limit of this server.`);
}

export function createTooSlowError(ms: number): ServerError {
  return new ServerError("timeout", `The body did not arrive within ${ms / 1000} s. Send it again without pauses.`);
}

export function createClientGoneError(cause?: unknown): ServerError {
  return new ServerError("aborted", "The client disconnected before the exchange was complete.", { cause });
}

// Why a body is not read to its end: the same words, whatever brought it.
import { ServerError } from "../errors.ts";

export function tooLarge(most: number): ServerError {
  return new ServerError("too-large", `The body is larger than ${most} bytes, which is the most that is taken.`);
}

export function tooSlow(ms: number): ServerError {
  return new ServerError("timeout", `The body did not arrive within ${ms / 1000} s. Send it again, in one go.`);
}

export function leftError(cause?: unknown): ServerError {
  return new ServerError("aborted", "The client left before the exchange was over.", { cause });
}

// Converts a `DialectError` to a `ServerError` with a path in the request body: the dialect knows only the path within
// the decoded value.
import { DialectError } from "../../dialects/errors.ts";
import { fromDialectError } from "../http/server-error.ts";

/**
 * Returns the result of `decode`, which decodes the value at `path` of the body. A `DialectError` of `decode` is thrown
 * as a `ServerError`.
 */
export function decodePayload<T>(path: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (!(cause instanceof DialectError)) throw cause;
    throw fromDialectError(cause, path + cause.path);
  }
}

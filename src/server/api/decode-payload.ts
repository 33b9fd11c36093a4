// Converts a `DialectError` to a `ServerError`. The error of the dialect has a path within the decoded value; the error
// for the client has the path within the request body.
import { DialectError } from "../../dialects/errors.ts";
import { fromDialectError } from "../http/server-error.ts";

/**
 * Returns the result of `decode`, which decodes the value at the JSON pointer `path` of the body. A `DialectError` of
 * `decode` is thrown as a `ServerError`.
 */
export function decodePayload<T>(path: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (!(cause instanceof DialectError)) throw cause;
    throw fromDialectError(cause, path + cause.path);
  }
}

// Where in a body a value stood that a dialect refused: the dialect only knows the place within the value.
import { DialectError } from "../../dialects/errors.ts";
import { ServerError } from "../errors.ts";

/** Runs work on the value at `place`. */
export function within<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof DialectError)) throw cause;
    throw new ServerError("invalid-request", cause.message, { path: place + cause.path, cause });
  }
}

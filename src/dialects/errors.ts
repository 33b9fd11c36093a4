// Defines the error class of the dialects.
import { KoineError } from "../model/errors.ts";

/** The codes of `DialectError`. */
export type DialectErrorCode =
  | "wrong-type"
  | "missing-field"
  | "unknown-dialect"
  | "unknown-kind"
  | "not-supported"
  | "version"
  | "too-deep";

/**
 * Thrown for a value that cannot be decoded or encoded, and for an unknown dialect, an unknown kind of payload, or a
 * capability that the dialect does not support.
 */
export class DialectError extends KoineError<DialectErrorCode> {
  override readonly name = "DialectError";
  readonly dialect: string;
  /** A JSON pointer to the fault, within the wire value (of a decoder) or the canonical value (of an encoder). */
  readonly path: string;

  constructor(dialect: string, path: string, code: DialectErrorCode, message: string, options?: ErrorOptions) {
    super(code, `${dialect}${path === "" ? "" : ` at "${path}"`}: ${message}`, options);
    this.dialect = dialect;
    this.path = path;
  }
}

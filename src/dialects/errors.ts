// The error class of the dialects.
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

/** Thrown for wire data of a wrong JSON type, and for a capability that a dialect does not support. */
export class DialectError extends KoineError<DialectErrorCode> {
  override readonly name = "DialectError";
  readonly dialect: string;
  /** A JSON pointer into the wire value. */
  readonly path: string;

  constructor(dialect: string, path: string, code: DialectErrorCode, message: string, options?: ErrorOptions) {
    super(code, `${dialect}${path === "" ? "" : ` at "${path}"`}: ${message}`, options);
    this.dialect = dialect;
    this.path = path;
  }
}

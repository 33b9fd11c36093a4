// What a decoder says about nonsense.
import { KoineError } from "../model/errors.ts";

export type DialectErrorCode =
  | "wrong-type"
  | "missing-field"
  | "unknown-dialect"
  | "not-carried"
  | "version"
  | "too-deep";

/** Wire data that is not even the right JSON type, or a dialect that is asked for what it cannot carry. */
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

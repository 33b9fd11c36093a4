// Defines the base error class and the errors of the model. Each area of Koine has one error class with a stable
// `code`; messages state the fault, its path and the remedy.
import type { Issue } from "./validation/issue.ts";

/**
 * The base class of every error that Koine throws deliberately. `code` is stable and intended for programs, `message`
 * for people.
 */
export class KoineError<Code extends string = string> extends Error {
  override readonly name: string = "KoineError";
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The codes of `JsonError`. */
export type JsonErrorCode = "invalid-json" | "too-deep" | "not-json";

/**
 * Thrown for text that is not JSON, or a value that JSON cannot represent. `path` is a JSON pointer; "" is the root.
 */
export class JsonError extends KoineError<JsonErrorCode> {
  override readonly name = "JsonError";
  readonly path: string;

  constructor(code: JsonErrorCode, path: string, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.path = path;
  }
}

/** Thrown for a value that is not a valid message, request or response; `issues` lists every fault. */
export class ValidationError extends KoineError<"invalid"> {
  override readonly name = "ValidationError";
  readonly issues: readonly Issue[];
  /** The path of the first issue. */
  readonly path: string;

  constructor(what: string, issues: readonly Issue[]) {
    const first = issues[0];
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more in .issues)` : "";
    super("invalid", `Not a valid ${what}: at "${first?.path ?? ""}": ${first?.message ?? "unknown"}${more}`);
    this.issues = issues;
    this.path = first?.path ?? "";
  }
}

/** The codes of `VersionError`. */
export type VersionErrorCode = "version-missing" | "version-invalid" | "version-too-new";

/** Thrown for a stored message whose schema version this release cannot read. */
export class VersionError extends KoineError<VersionErrorCode> {
  override readonly name = "VersionError";
  readonly path = "/metadata/schemaVersion";
  readonly version: unknown;

  constructor(code: VersionErrorCode, found: unknown, message: string) {
    super(code, message);
    this.version = found;
  }
}

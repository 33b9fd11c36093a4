// The error classes of Koine. One class per area, each with a stable `code` that callers may switch on.
// Messages say what is wrong, where, and what to do about it.
import type { Issue } from "./issue.ts";

/** Base of every error Koine throws on purpose; `code` is stable, `message` is for people. */
export class KoineError<Code extends string = string> extends Error {
  override readonly name: string = "KoineError";
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type JsonErrorCode = "invalid-json" | "too-deep" | "not-json";

/** Text that is no JSON, or a value that JSON cannot hold. `path` is a JSON pointer, "" for the whole. */
export class JsonError extends KoineError<JsonErrorCode> {
  override readonly name = "JsonError";
  readonly path: string;

  constructor(code: JsonErrorCode, path: string, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.path = path;
  }
}

/** A value that is no message, request or response; `issues` lists everything that is wrong with it. */
export class ValidationError extends KoineError<"invalid"> {
  override readonly name = "ValidationError";
  readonly issues: readonly Issue[];
  /** Where the first issue is. */
  readonly path: string;

  constructor(what: string, issues: readonly Issue[]) {
    const first = issues[0];
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more in .issues)` : "";
    super("invalid", `Not a valid ${what}: at "${first?.path ?? ""}": ${first?.message ?? "unknown"}${more}`);
    this.issues = issues;
    this.path = first?.path ?? "";
  }
}

export type VersionErrorCode = "version-missing" | "version-invalid" | "version-too-new";

/** A stored message whose schema version cannot be read here. */
export class VersionError extends KoineError<VersionErrorCode> {
  override readonly name = "VersionError";
  readonly path = "/metadata/schemaVersion";
  readonly found: unknown;

  constructor(code: VersionErrorCode, found: unknown, message: string) {
    super(code, message);
    this.found = found;
  }
}

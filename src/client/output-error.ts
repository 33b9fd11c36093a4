// Defines the error of `generateObject` for an answer that is not the requested object.
import type { ClientErrorDetails } from "../calls/index.ts";
import { ClientError } from "../calls/index.ts";
import type { ModelResponse } from "../model/index.ts";
import type { SchemaIssue } from "./schema/types.ts";

/** The reason why an answer is not the requested object. */
export type OutputErrorReason = "not-json" | "schema" | "cut-off" | "refused" | "empty";

/** The error of `generateObject` for an answer that is not the requested object. */
export class OutputError extends ClientError {
  override readonly name = "OutputError";
  readonly reason: OutputErrorReason;
  /** The text of the answer, without changes. */
  readonly text: string;
  /** The violations of the schema; empty unless `reason` is "schema". */
  readonly issues: readonly SchemaIssue[];
  readonly response: ModelResponse;

  constructor(
    reason: OutputErrorReason,
    message: string,
    details: ClientErrorDetails & { text: string; response: ModelResponse; issues?: readonly SchemaIssue[] },
  ) {
    super("invalid-output", message, details);
    this.reason = reason;
    this.text = details.text;
    this.issues = details.issues ?? [];
    this.response = details.response;
  }
}

// The error of `generateObject`: an answer that is not the requested object.
import type { ClientErrorDetails } from "../calls/index.ts";
import { ClientError } from "../calls/index.ts";
import type { ModelResponse } from "../model/index.ts";
import type { SchemaIssue } from "./schema/types.ts";

/** The reason why an answer is not the requested object. */
export type OutputErrorReason = "not-json" | "schema" | "cut-off" | "refused" | "empty";

/** An answer that is not the requested object. */
export class OutputError extends ClientError {
  override readonly name = "OutputError";
  readonly reason: OutputErrorReason;
  /** The model's text, unchanged. */
  readonly text: string;
  /** The violations of the schema. */
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

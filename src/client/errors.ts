// The client's errors: one class, a stable code for what went wrong, and everything that is known about the call.
// Mistakes of the caller, failures of a provider, and answers that are not what was asked for.
import { KoineError } from "../model/errors.ts";
import type { ProviderError, ProviderErrorKind, Response } from "../model/index.ts";
import type { SchemaIssue } from "./schema/types.ts";
import type { Attempt } from "./types.ts";

/** What can go wrong besides what a provider says (`ProviderErrorKind`, whose words are codes, too). */
export const CLIENT_ERRORS = {
  configuration: "A setting is missing or is not what it must be; nothing was sent.",
  "unknown-provider": "The model names no provider that is registered, and there is no default.",
  untranslatable: "The request holds something without which the provider would answer another question.",
  aborted: "The caller's signal ended the call, or the stream was left before its end.",
  "invalid-output": "The answer is not the object that was asked for; its text is on the error.",
  budget: "A limit of the caller's own was reached; nothing was sent.",
} as const;
export type ClientErrorCode = keyof typeof CLIENT_ERRORS | ProviderErrorKind;

/** What an error may say beside its code and message. */
export interface ClientErrorDetails extends ErrorOptions {
  /** Which setting or field, as a JSON pointer: "/providers/local/baseUrl". */
  path?: string | undefined;
  /** What the provider said, in the common words. */
  error?: ProviderError | undefined;
  /** The provider of the last attempt, as registered, and the model that was asked. */
  provider?: string | undefined;
  model?: string | undefined;
  attempts?: readonly Attempt[] | undefined;
  /** What had arrived, its message marked interrupted (B90). */
  partial?: Response | undefined;
}

export class ClientError extends KoineError<ClientErrorCode> {
  override readonly name: string = "ClientError";
  readonly path: string;
  readonly error: ProviderError | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly attempts: readonly Attempt[];
  readonly partial: Response | undefined;

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}) {
    super(code, message, "cause" in details ? { cause: details.cause } : undefined);
    this.path = details.path ?? "";
    this.error = details.error;
    this.provider = details.provider;
    this.model = details.model;
    this.attempts = details.attempts ?? [];
    this.partial = details.partial;
  }

  // What a ledger asks of an error whose run it ends.
  get kind(): ProviderErrorKind | undefined {
    return this.error?.kind;
  }
  get status(): number | undefined {
    return this.error?.status;
  }
  get retryAfterMs(): number | undefined {
    return this.error?.retryAfterMs;
  }
}

/** Why an answer is not the object that was asked for. */
export type OutputErrorReason = "not-json" | "schema" | "cut-off" | "refused" | "empty";

/** An answer that is not the object that was asked for. */
export class OutputError extends ClientError {
  override readonly name = "OutputError";
  readonly fault: OutputErrorReason;
  /** What the model wrote, as it wrote it. */
  readonly text: string;
  /** What the schema has against it. */
  readonly issues: readonly SchemaIssue[];
  readonly response: Response;

  constructor(
    fault: OutputErrorReason,
    message: string,
    details: ClientErrorDetails & { text: string; response: Response; issues?: readonly SchemaIssue[] },
  ) {
    super("invalid-output", message, details);
    this.fault = fault;
    this.text = details.text;
    this.issues = details.issues ?? [];
    this.response = details.response;
  }
}

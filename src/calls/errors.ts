// Defines the errors of calls: one class with a stable code, the provider's error, the attempts and the partial answer.
import { KoineError } from "../model/errors.ts";
import type { ProviderError, ProviderErrorKind, ModelResponse } from "../model/index.ts";
import type { Attempt } from "./types.ts";

/**
 * Codes of errors that do not come from a provider. The kinds of provider errors (`ProviderErrorKind`) are also codes.
 */
export const CLIENT_ERRORS = {
  configuration: "A setting is missing or invalid; nothing was sent.",
  "unknown-provider": "The model names no registered provider, and there is no default provider.",
  untranslatable: "The request contains something without which the provider would answer a different request.",
  aborted: "The caller's signal ended the call, or the stream was left before its end.",
  "invalid-output": "The answer is not the requested object; its text is on the error.",
  budget: "A limit of the caller's budget was reached; nothing was sent.",
} as const;
/** The code of a `ClientError`. */
export type ClientErrorCode = keyof typeof CLIENT_ERRORS | ProviderErrorKind;

/** Details of a `ClientError` besides its code and message. */
export interface ClientErrorDetails extends ErrorOptions {
  /** The JSON pointer of the setting or field that is invalid, such as "/providers/local/baseUrl". */
  path?: string | undefined;
  /** The decoded error of the provider; undefined if the error does not come from a provider. */
  error?: ProviderError | undefined;
  /** The registered name of the last attempt's provider. */
  provider?: string | undefined;
  /** The model that the last attempt requested. */
  model?: string | undefined;
  attempts?: readonly Attempt[] | undefined;
  /** The partial answer; its message is marked as interrupted (B90). Undefined if no content arrived. */
  partial?: ModelResponse | undefined;
}

/**
 * The error of a failed call: a mistake of the caller, a failure of a provider, or an answer that is not the requested
 * object.
 */
export class ClientError extends KoineError<ClientErrorCode> {
  override readonly name: string = "ClientError";
  readonly path: string;
  readonly error: ProviderError | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly attempts: readonly Attempt[];
  readonly partial: ModelResponse | undefined;

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}) {
    super(code, message, "cause" in details ? { cause: details.cause } : undefined);
    this.path = details.path ?? "";
    this.error = details.error;
    this.provider = details.provider;
    this.model = details.model;
    this.attempts = details.attempts ?? [];
    this.partial = details.partial;
  }

  // These getters exist because the ledger reads `kind`, `status` and `retryAfterMs` from the error that fails a run.
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

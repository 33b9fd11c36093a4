// Decodes and encodes the `error` field of a failed response.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ProviderError, ProviderErrorKind } from "../../../model/provider-error.ts";
import type { EncodeContext } from "../../dialect.ts";
import { classifyOpenAiError } from "../../openai/errors.ts";
import { parseRetryAfter } from "../../kit/errors/provider-errors.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { ResponsesLossCode } from "../losses.ts";

/** Returns the decoded error of a failed response; undefined if the error has an unknown format. */
export function decodeErrorField(error: unknown): ProviderError | undefined {
  if (!isObject(error) || typeof error["message"] !== "string" || error["code"] === undefined) return undefined;
  const { message } = error;
  const decoded: ProviderError = { kind: classifyOpenAiError(error, message), message, raw: error };
  const retryAfterMs = parseRetryAfter(message);
  if (retryAfterMs !== undefined) decoded.retryAfterMs = retryAfterMs;
  return decoded;
}

/** The error codes that a failed response can have. Any other kind is sent as a server error. */
const ERROR_CODES: Readonly<Partial<Record<ProviderErrorKind, string>>> = {
  "rate-limit": "rate_limit_exceeded",
  quota: "rate_limit_exceeded",
  "invalid-request": "invalid_prompt",
  "context-length": "invalid_prompt",
  "content-filter": "invalid_prompt",
  authentication: "invalid_prompt",
  permission: "invalid_prompt",
  "not-found": "invalid_prompt",
};

const SUPPORTED: ReadonlySet<string> = new Set(["kind", "message", "raw"]);

/**
 * Returns the original error object if it still decodes to the same kind and message, and a new error object otherwise.
 */
export function encodeErrorField(error: ProviderError, context: EncodeContext<ResponsesLossCode>): JsonObject {
  const { raw, kind, message } = error;
  reportUnsupportedFields(error, SUPPORTED, context, "field-unsupported");
  const decodedAgain = decodeErrorField(raw);
  if (isObject(raw) && decodedAgain?.kind === kind && decodedAgain.message === message) return raw;
  const decoded = { code: ERROR_CODES[kind] ?? "server_error", message };
  if (decodeErrorField(decoded)?.kind !== kind) context.report.addLoss("field-unsupported", "kind");
  return decoded;
}

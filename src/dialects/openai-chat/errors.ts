// Errors in bodies that are answers, too: compatible servers send them under the status 200.
import type { JsonValue } from "../../model/json.ts";
import type { ProviderError } from "../../model/provider-error.ts";
import type { ModelResponse } from "../../model/response.ts";
import { decodeOpenAiError, encodeOpenAiError } from "../kit/openai-errors.ts";
import { isObject } from "../kit/read.ts";
import type { Writing } from "./writing.ts";

/** Reads the error in an answer; false where there is none. */
export function decodeErrorField(value: JsonValue | undefined, response: ModelResponse): boolean {
  if (!isObject(value)) return false;
  response.error = decodeOpenAiError({ error: value });
  if (response.finishReason.raw === undefined) response.finishReason = { unified: "error" };
  return true;
}

/** The error of an answer; what its words do not say is reported. */
export function encodeErrorField(error: ProviderError, { context }: Writing): JsonValue {
  const { raw: _, ...bare } = error;
  const said = bodyOf(encodeOpenAiError(error).wire) ?? bodyOf(encodeOpenAiError(bare).wire) ?? null;
  const again = decodeOpenAiError({ error: said });
  for (const field of ["status", "retryAfterMs", "retryable"] as const) {
    const value = error[field];
    if (value !== undefined && value !== again[field]) context.report.addLoss("field-unsaid", ["error", field]);
  }
  return said;
}

function bodyOf(wire: unknown): JsonValue | undefined {
  return isObject(wire) ? wire["error"] : undefined;
}

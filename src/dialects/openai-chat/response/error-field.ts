// Decodes and encodes the `error` field of an answer, which compatible servers send with the status 200.
import type { JsonValue } from "../../../model/json/index.ts";
import type { ProviderError } from "../../../model/provider-error.ts";
import type { ModelResponse } from "../../../model/response.ts";
import { decodeOpenAiError, encodeOpenAiError } from "../../openai/errors.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import type { ChatEncodeState } from "../encode-state.ts";

/** Decodes the error of an answer. Returns false if the value is not an error object. */
export function decodeErrorField(value: JsonValue | undefined, response: ModelResponse): boolean {
  if (!isObject(value)) return false;
  response.error = decodeOpenAiError({ error: value });
  if (response.finishReason.raw === undefined) response.finishReason = { unified: "error" };
  return true;
}

/** Encodes the error of an answer and reports the fields that the wire cannot express. */
export function encodeErrorField(error: ProviderError, { context }: ChatEncodeState): JsonValue {
  const { raw: _, ...errorWithoutRaw } = error;
  const body =
    readErrorBody(encodeOpenAiError(error).wire) ?? readErrorBody(encodeOpenAiError(errorWithoutRaw).wire) ?? null;
  const decodedAgain = decodeOpenAiError({ error: body });
  for (const field of ["status", "retryAfterMs", "retryable"] as const) {
    const value = error[field];
    if (value !== undefined && value !== decodedAgain[field])
      context.report.addLoss("field-unsupported", ["error", field]);
  }
  return body;
}

function readErrorBody(wire: unknown): JsonValue | undefined {
  return isObject(wire) ? wire["error"] : undefined;
}

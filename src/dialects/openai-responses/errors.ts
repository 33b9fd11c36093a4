// Errors: of a request, and of a response that failed.
import type { JsonObject } from "../../model/json.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/provider-error.ts";
import type { EncodeContext } from "../dialect.ts";
import { kindOfOpenAi } from "../kit/openai-errors.ts";
import { retryAfterOf } from "../kit/provider-errors.ts";
import { isObject } from "../kit/read.ts";
import { reportUnsupportedFields } from "../kit/residue.ts";
import type { Code } from "./losses.ts";

/** What a response says about its failure; undefined where it says it in a way that nobody knows. */
export function decodeFailure(error: unknown): ProviderError | undefined {
  if (!isObject(error) || typeof error["message"] !== "string" || error["code"] === undefined) return undefined;
  const { message } = error;
  const failure: ProviderError = { kind: kindOfOpenAi(error, message), message, raw: error };
  const retryAfterMs = retryAfterOf(message);
  if (retryAfterMs !== undefined) failure.retryAfterMs = retryAfterMs;
  return failure;
}

/** The codes of a failed response are few: what it failed of is nearly always the request, its rate, or the server. */
const CODES: Readonly<Partial<Record<ProviderErrorKind, string>>> = {
  "rate-limit": "rate_limit_exceeded",
  quota: "rate_limit_exceeded",
  "invalid-request": "invalid_prompt",
  "context-length": "invalid_prompt",
  "content-filter": "invalid_prompt",
  authentication: "invalid_prompt",
  permission: "invalid_prompt",
  "not-found": "invalid_prompt",
};

const CARRIED: ReadonlySet<string> = new Set(["kind", "message", "raw"]);

/** The failure as it came, if it still says what the error says. */
export function encodeFailure(error: ProviderError, context: EncodeContext<Code>): JsonObject {
  const { raw, kind, message } = error;
  reportUnsupportedFields(error, CARRIED, context, "field-unsaid");
  const again = decodeFailure(raw);
  if (isObject(raw) && again?.kind === kind && again.message === message) return raw;
  const failure = { code: CODES[kind] ?? "server_error", message };
  if (decodeFailure(failure)?.kind !== kind) context.report.addLoss("field-unsaid", "kind");
  return failure;
}

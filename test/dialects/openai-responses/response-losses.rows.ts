// Rows for losses.test.ts: answers, their encoding, and the losses in Responses.
import { assistant } from "../../../src/model/message.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { call, wireCall } from "./item-losses.rows.ts";

/** Fields of an answer beside plain ones, the encoded fields, and the losses. */
export const responseRows: [sentence: string, response: Partial<ModelResponse>, wire: object, losses: string[]][] = [
  ["B59: alternatives are dropped", { alternatives: [] }, {}, ["field-unsupported /alternatives"]],
  ["an invalid date is dropped", { createdAt: "yesterday" }, { created_at: 0 }, ["field-unsupported /createdAt"]],
  [
    "B61: a finish reason of another provider is dropped",
    { finishReason: { unified: "length", raw: "max_tokens" } },
    { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    ["raw-finish-reason-dropped /finishReason/raw"],
  ],
  [
    "B62: a refusal becomes content_filter",
    { finishReason: { unified: "refusal" } },
    { status: "incomplete", incomplete_details: { reason: "content_filter" } },
    ["finish-reason-approximated /finishReason/unified"],
  ],
  [
    "B62: a pause becomes incomplete",
    { finishReason: { unified: "pause" } },
    { status: "incomplete", incomplete_details: null },
    ["finish-reason-approximated /finishReason/unified"],
  ],
  [
    "the finish reason tool-calls without calls is approximated",
    { finishReason: { unified: "tool-calls" } },
    { status: "completed" },
    ["finish-reason-approximated /finishReason/unified"],
  ],
  [
    "an error",
    {
      finishReason: { unified: "error" },
      error: { kind: "overloaded", message: "Oops.", status: 529, raw: { message: "Oops." } },
    },
    { status: "failed", error: { code: "server_error", message: "Oops." } },
    ["field-unsupported /error/status", "field-unsupported /error/kind"],
  ],
  [
    "an error with a code",
    { finishReason: { unified: "error" }, error: { kind: "rate-limit", message: "Slow down." } },
    { status: "failed", error: { code: "rate_limit_exceeded", message: "Slow down." } },
    [],
  ],
  [
    "B63, B64: usage",
    { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7, cacheWrite5mTokens: 1, cost: 2 } },
    {
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 4,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 7,
      },
    },
    ["response-metadata-not-portable /usage/cacheWrite5mTokens", "response-metadata-not-portable /usage/cost"],
  ],
  [
    "usage of another dialect",
    { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7, extra: { gemini: { trafficType: "ON_DEMAND" } } } },
    {},
    ["response-metadata-not-portable /usage/extra/gemini/trafficType"],
  ],
  [
    "B31: a call that was cut off has the status incomplete",
    { message: assistant([{ ...call, invalid: true }]), finishReason: { unified: "length" } },
    { status: "incomplete", output: [{ ...wireCall, status: "incomplete" }] },
    [],
  ],
  [
    "residue of another dialect's answer",
    { extra: { anthropic: { container: null } } },
    {},
    ["response-metadata-not-portable /extra/anthropic/container"],
  ],
];

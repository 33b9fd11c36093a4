// What answers in OpenAI's Responses cannot say, one row each.
import { assistant } from "../../src/model/message.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import { call, wireCall } from "./openai-responses-loss-rows.ts";

/** A plain answer with something else about it, what goes out at which field, and the losses told. */
export const responseRows: [sentence: string, response: Partial<ModelResponse>, wire: object, losses: string[]][] = [
  ["B59: further choices have no place", { alternatives: [] }, {}, ["field-unsaid /alternatives"]],
  ["a date that is none", { createdAt: "yesterday" }, { created_at: 0 }, ["field-unsaid /createdAt"]],
  [
    "B61: the provider's own word",
    { finishReason: { unified: "length", raw: "max_tokens" } },
    { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    ["finish-raw /finishReason/raw"],
  ],
  [
    "B62: a refusal is filtered",
    { finishReason: { unified: "refusal" } },
    { status: "incomplete", incomplete_details: { reason: "content_filter" } },
    ["finish-approximated /finishReason/unified"],
  ],
  [
    "B62: a pause is incomplete",
    { finishReason: { unified: "pause" } },
    { status: "incomplete", incomplete_details: null },
    ["finish-approximated /finishReason/unified"],
  ],
  [
    "calls that are not there",
    { finishReason: { unified: "tool-calls" } },
    { status: "completed" },
    ["finish-approximated /finishReason/unified"],
  ],
  [
    "a failure",
    {
      finishReason: { unified: "error" },
      error: { kind: "overloaded", message: "Oops.", status: 529, raw: { message: "Oops." } },
    },
    { status: "failed", error: { code: "server_error", message: "Oops." } },
    ["field-unsaid /error/status", "field-unsaid /error/kind"],
  ],
  [
    "a failure that has a code",
    { finishReason: { unified: "error" }, error: { kind: "rate-limit", message: "Slow down." } },
    { status: "failed", error: { code: "rate_limit_exceeded", message: "Slow down." } },
    [],
  ],
  [
    "B63, B64: counts",
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
    ["echo-foreign /usage/cacheWrite5mTokens", "echo-foreign /usage/cost"],
  ],
  [
    "what another dialect counts",
    { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7, extra: { gemini: { trafficType: "ON_DEMAND" } } } },
    {},
    ["echo-foreign /usage/extra/gemini/trafficType"],
  ],
  [
    "B31: a call that its answer broke off in says so",
    { message: assistant([{ ...call, invalid: true }]), finishReason: { unified: "length" } },
    { status: "incomplete", output: [{ ...wireCall, status: "incomplete" }] },
    [],
  ],
  [
    "what another answer says about itself",
    { extra: { anthropic: { container: null } } },
    {},
    ["echo-foreign /extra/anthropic/container"],
  ],
];

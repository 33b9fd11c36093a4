// Made-up Anthropic responses and errors.
import type { WireSample } from "../../../src/testkit/index.ts";

const usage = {
  input_tokens: 12,
  cache_creation_input_tokens: 30,
  cache_read_input_tokens: 400,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
  output_tokens: 55,
  output_tokens_details: { thinking_tokens: 21 },
  server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
  service_tier: "standard",
  inference_geo: "eu",
};

function buildResponse(response: object): object {
  return {
    id: "msg_0001",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5-20250929",
    content: [{ type: "text", text: "The agora is in the middle." }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 20 },
    ...response,
  };
}

export const responseSamples: readonly WireSample[] = [
  { name: "a plain answer", wire: buildResponse({}) },
  {
    name: "everything",
    wire: buildResponse({
      content: [
        { type: "thinking", thinking: "Where is it?", signature: "c2lnbmVk" },
        { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
        {
          type: "text",
          text: "In the middle.",
          citations: [
            {
              type: "web_search_result_location",
              url: "https://example.com/agora",
              title: "The agora",
              cited_text: "the middle",
              encrypted_index: "aW5kZXg=",
            },
          ],
        },
        { type: "tool_use", id: "toolu_1", name: "look", input: { zeal: 1, at: "agora" }, caller: { type: "direct" } },
      ],
      stop_reason: "tool_use",
      usage,
      container: { id: "container_1", expires_at: "2026-01-01T00:00:00Z", skills: null },
      context_management: { applied_edits: [] },
      diagnostics: null,
    }),
  },
  { name: "a stop sequence", wire: buildResponse({ stop_reason: "stop_sequence", stop_sequence: "END" }) },
  {
    name: "a refusal",
    wire: buildResponse({
      content: [],
      stop_reason: "refusal",
      stop_details: { type: "refusal", category: "bio", explanation: null },
    }),
  },
  { name: "an unknown stop reason", wire: buildResponse({ stop_reason: "moonrise" }) },
  { name: "a null stop reason", wire: buildResponse({ stop_reason: null }) },
  {
    name: "iterations",
    wire: buildResponse({
      usage: { ...usage, cache_creation: null, iterations: [{ type: "message", input_tokens: 3, output_tokens: 4 }] },
    }),
  },
  {
    name: "no usage and no constant fields",
    wire: { content: [{ type: "thinking", thinking: "Unsigned." }], stop_reason: "max_tokens" },
  },
  {
    name: "an error body instead of a response",
    wire: { type: "error", error: { type: "api_error", message: "Try again in 2s.", hint: 7 }, request_id: "req_1" },
  },
];

export const errorSamples: readonly WireSample[] = [
  ["invalid_request_error", "messages: at least one message is required", 400],
  ["invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", 400],
  ["invalid_request_error", "Your credit balance is too low to access the API.", 400],
  ["authentication_error", "invalid x-api-key", 401],
  ["billing_error", "There is a problem with your payment.", 402],
  ["permission_error", "Your key has no access to this resource.", 403],
  ["not_found_error", "model: claude-nowhere", 404],
  ["request_too_large", "The request exceeds the maximum size.", 413],
  ["rate_limit_error", "This request would exceed your rate limit.", 429],
  ["api_error", "Internal server error", 500],
  ["timeout_error", "The request took too long.", 504],
  ["overloaded_error", "Overloaded", 529],
  ["moonrise_error", "An unknown type.", 418],
].map(([type, message, status]) => ({
  name: `${String(type)} ${String(status)}: ${String(message)}`,
  wire: { type: "error", error: { type, message }, request_id: "req_1" },
  status: Number(status),
}));

// Requests in Anthropic's words, made up: every tool and every setting at least once.
import type { WireSample } from "../../src/testkit/index.ts";
import { cited, ephemeral, media, provided, toolLoop } from "./anthropic-samples.ts";

function asks(request: object, ...messages: object[]): object {
  const turns = messages.length > 0 ? messages : [{ role: "user", content: "Where is the agora?" }];
  return { model: "claude-sonnet-4-5", max_tokens: 4096, messages: turns, ...request };
}

const weather = {
  name: "get_weather",
  description: "Tells the weather of a city.",
  input_schema: {
    type: "object",
    properties: { zone: { type: "string" }, city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

export const requestSamples: readonly WireSample[] = [
  { name: "the least", wire: asks({}) },
  {
    name: "every setting",
    wire: asks({
      model: "claude-sonnet-4-0",
      system: "Be brief.",
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ["END", "STOP"],
      metadata: { user_id: "user-17" },
      stream: true,
      service_tier: "auto",
      inference_geo: "eu",
      speed: "fast",
      container: { id: "container_1", skills: [{ type: "anthropic", skill_id: "pdf", version: "latest" }] },
      context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
      mcp_servers: [{ type: "url", name: "echo-server", url: "https://example.com/mcp" }],
      diagnostics: { previous_message_id: null },
      cache_control: ephemeral,
      tools: [weather],
      tool_choice: { type: "tool", name: "get_weather", disable_parallel_tool_use: true },
    }),
  },
  {
    name: "every tool",
    wire: asks({
      tools: [
        { type: "custom", ...weather, strict: true, cache_control: { type: "ephemeral", ttl: "1h" } },
        { name: "no_parameters", input_schema: { type: "object" }, defer_loading: true, input_examples: [{}] },
        { type: "bash_20250124", name: "bash" },
        { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 10000 },
        { type: "memory_20250818", name: "memory", cache_control: ephemeral },
        { type: "computer_20251124", name: "computer", display_width_px: 800, display_height_px: 600 },
        { type: "web_search_20250305", name: "web_search", max_uses: 3, allowed_domains: ["example.com"] },
        { type: "web_fetch_20260209", name: "web_fetch", citations: { enabled: true } },
        { type: "code_execution_20250825", name: "code_execution" },
        { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
        { type: "mcp_toolset", mcp_server_name: "echo-server" },
        { type: "browser_toolset_20260801", configs: { zoom: { enabled: false } } },
      ],
      tool_choice: { type: "any" },
    }),
  },
  { name: "a tool loop that goes on", wire: asks({ tools: [weather] }, ...toolLoop.slice(0, 3)) },
  {
    name: "a budget for thinking",
    wire: asks({ thinking: { type: "enabled", budget_tokens: 2048, display: "omitted" } }),
  },
  { name: "no thinking", wire: asks({ thinking: { type: "disabled" } }) },
  { name: "adaptive thinking", wire: asks({ thinking: { type: "adaptive" } }) },
  {
    name: "thinking between tools",
    wire: asks({ thinking: { type: "between_tools" }, output_config: { effort: "high" } }),
  },
  {
    name: "adaptive thinking at an effort",
    wire: asks({
      model: "claude-opus-4-6",
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "xhigh" },
    }),
  },
  {
    name: "effort alone",
    wire: asks({ output_config: { effort: "max", task_budget: { type: "tokens", total: 9000 } } }),
  },
  { name: "an effort that nobody knows", wire: asks({ output_config: { effort: "heroic" } }) },
  {
    name: "a budget at an effort",
    wire: asks({
      model: "claude-opus-4-5",
      thinking: { type: "enabled", budget_tokens: 1024 },
      output_config: { effort: "low" },
    }),
  },
  {
    name: "a schema for the answer",
    wire: asks({
      output_config: {
        format: {
          type: "json_schema",
          schema: { type: "object", properties: { b: {}, a: {} }, additionalProperties: false },
        },
      },
    }),
  },
  {
    name: "a schema in the older place",
    wire: asks({ output_format: { type: "json_schema", schema: { type: "string" } } }),
  },
  { name: "no choice", wire: asks({ tools: [weather], tool_choice: { type: "none" } }) },
  {
    name: "a free choice of one at a time",
    wire: asks({ tools: [weather], tool_choice: { type: "auto", disable_parallel_tool_use: false } }),
  },
  {
    name: "system text in blocks with breakpoints",
    wire: asks({
      system: [
        { type: "text", text: "Know this." },
        { type: "text", text: "And this.", cache_control: { type: "ephemeral", ttl: "1h" } },
      ],
    }),
  },
  { name: "system text in a single block", wire: asks({ system: [{ type: "text", text: "Know this." }] }) },
  {
    name: "media and documents",
    wire: asks({}, media, { role: "assistant", content: [cited] }, { role: "user", content: "Thanks." }),
  },
  {
    name: "what the provider ran, and a pause",
    wire: asks({}, { role: "user", content: "Do everything." }, { role: "assistant", content: provided }),
  },
  {
    name: "tools that come and go",
    wire: asks(
      { thread: { type: "create" }, fallbacks: "default" },
      { role: "user", content: "Hello." },
      { role: "system", content: [{ type: "tool_addition", tool: { type: "tool_reference", name: "look" } }] },
    ),
  },
  {
    name: "hosted elsewhere, with the model in the address",
    wire: { anthropic_version: "bedrock-2023-05-31", max_tokens: 100, messages: [{ role: "user", content: "Hello." }] },
    address: { model: "anthropic.claude-sonnet", stream: true, headers: { "anthropic-beta": "context-1m-2025-08-07" } },
  },
];

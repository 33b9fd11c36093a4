// Made-up Anthropic requests, with every tool and every setting at least once.
import type { WireSample } from "../../../src/testkit/index.ts";
import { citedText, ephemeral, media, providerBlocks, toolLoop } from "./message-samples.ts";

function buildRequest(request: object, ...messages: object[]): object {
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
  { name: "a minimal request", wire: buildRequest({}) },
  {
    name: "every setting",
    wire: buildRequest({
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
    wire: buildRequest({
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
  { name: "an unfinished tool loop", wire: buildRequest({ tools: [weather] }, ...toolLoop.slice(0, 3)) },
  {
    name: "a thinking budget",
    wire: buildRequest({ thinking: { type: "enabled", budget_tokens: 2048, display: "omitted" } }),
  },
  { name: "no thinking", wire: buildRequest({ thinking: { type: "disabled" } }) },
  { name: "adaptive thinking", wire: buildRequest({ thinking: { type: "adaptive" } }) },
  {
    name: "interleaved thinking",
    wire: buildRequest({ thinking: { type: "between_tools" }, output_config: { effort: "high" } }),
  },
  {
    name: "adaptive thinking at an effort",
    wire: buildRequest({
      model: "claude-opus-4-6",
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "xhigh" },
    }),
  },
  {
    name: "effort without thinking",
    wire: buildRequest({ output_config: { effort: "max", task_budget: { type: "tokens", total: 9000 } } }),
  },
  { name: "an unknown effort", wire: buildRequest({ output_config: { effort: "heroic" } }) },
  {
    name: "a budget at an effort",
    wire: buildRequest({
      model: "claude-opus-4-5",
      thinking: { type: "enabled", budget_tokens: 1024 },
      output_config: { effort: "low" },
    }),
  },
  {
    name: "an output schema",
    wire: buildRequest({
      output_config: {
        format: {
          type: "json_schema",
          schema: { type: "object", properties: { b: {}, a: {} }, additionalProperties: false },
        },
      },
    }),
  },
  {
    name: "an output schema in the deprecated field",
    wire: buildRequest({ output_format: { type: "json_schema", schema: { type: "string" } } }),
  },
  { name: "tool choice none", wire: buildRequest({ tools: [weather], tool_choice: { type: "none" } }) },
  {
    name: "tool choice auto without parallel calls",
    wire: buildRequest({ tools: [weather], tool_choice: { type: "auto", disable_parallel_tool_use: false } }),
  },
  {
    name: "system text in blocks with breakpoints",
    wire: buildRequest({
      system: [
        { type: "text", text: "Know this." },
        { type: "text", text: "And this.", cache_control: { type: "ephemeral", ttl: "1h" } },
      ],
    }),
  },
  { name: "system text in a single block", wire: buildRequest({ system: [{ type: "text", text: "Know this." }] }) },
  {
    name: "media and documents",
    wire: buildRequest({}, media, { role: "assistant", content: [citedText] }, { role: "user", content: "Thanks." }),
  },
  {
    name: "provider tools and a paused answer",
    wire: buildRequest({}, { role: "user", content: "Do everything." }, { role: "assistant", content: providerBlocks }),
  },
  {
    name: "tools that are added and removed",
    wire: buildRequest(
      { thread: { type: "create" }, fallbacks: "default" },
      { role: "user", content: "Hello." },
      { role: "system", content: [{ type: "tool_addition", tool: { type: "tool_reference", name: "look" } }] },
    ),
  },
  {
    name: "another host, with the model in the URL",
    wire: { anthropic_version: "bedrock-2023-05-31", max_tokens: 100, messages: [{ role: "user", content: "Hello." }] },
    address: { model: "anthropic.claude-sonnet", stream: true, headers: { "anthropic-beta": "context-1m-2025-08-07" } },
  },
];

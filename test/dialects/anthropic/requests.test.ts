// Rows of Anthropic settings and tools and their canonical form.
import { describe, expect, test } from "vitest";
import type { AnthropicRequest } from "../../../src/dialects/anthropic/index.ts";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import { assistant, system, user } from "../../../src/model/message.ts";
import type { ModelRequest } from "../../../src/model/request.ts";

const dialect = anthropic();
const messages = [{ role: "user", content: "Hello." }];
const withResidue = (residue: object): { extra: { anthropic: never } } => ({ extra: { anthropic: residue as never } });
const schema = { type: "object", additionalProperties: false } as const;

describe("settings", () => {
  const rows: [sentence: string, wire: object, request: Partial<ModelRequest>][] = [
    ["the model", { model: "claude" }, { model: "claude" }],
    [
      "sampling",
      { max_tokens: 7, temperature: 0.5, top_p: 0.9, top_k: 3, stop_sequences: ["END"] },
      { sampling: { maxOutputTokens: 7, temperature: 0.5, topP: 0.9, topK: 3, stop: ["END"] } },
    ],
    [
      "B42: null is preserved",
      { max_tokens: 7, temperature: null },
      { sampling: { maxOutputTokens: 7 }, ...withResidue({ temperature: null }) },
    ],
    ["a budget", { thinking: { type: "enabled", budget_tokens: 2048 } }, { reasoning: { budget: 2048 } }],
    ["no thinking", { thinking: { type: "disabled" } }, { reasoning: { effort: "none" } }],
    [
      "an effort becomes adaptive thinking",
      { thinking: { type: "adaptive" }, output_config: { effort: "medium" } },
      { reasoning: { effort: "medium" } },
    ],
    [
      "an effort without `thinking` stores its form",
      { output_config: { effort: "medium" } },
      { reasoning: { effort: "medium" }, ...withResidue({ $form: { thinking: "none" } }) },
    ],
    [
      "adaptive thinking without an effort is residue",
      { thinking: { type: "adaptive" } },
      withResidue({ thinking: { type: "adaptive" } }),
    ],
    [
      "an output schema",
      { output_config: { format: { type: "json_schema", schema } } },
      { output: { type: "json-schema", schema } },
    ],
    [
      "an output schema in the deprecated field",
      { output_format: { type: "json_schema", schema } },
      { output: { type: "json-schema", schema }, ...withResidue({ $form: { output: "output_format" } }) },
    ],
    ["the user", { metadata: { user_id: "u" } }, { metadata: { user_id: "u" } }],
    ["streaming", { stream: true }, { stream: true }],
    ["an unknown field is residue", { service_tier: "auto" }, withResidue({ service_tier: "auto" })],
  ];
  test.each(rows)("%s", (_, wire, request) => {
    const body = { messages, ...wire };
    expect(dialect.decodeRequest(body)).toStrictEqual({ messages: [user("Hello.")], ...request });
    expect(dialect.encodeRequest(dialect.decodeRequest(body), { repair: false }).wire).toStrictEqual(body);
  });
});

describe("tools and the choice among them", () => {
  const tool = { name: "look", description: "Looks.", input_schema: schema };
  const rows: [sentence: string, wire: object, request: Partial<ModelRequest>][] = [
    [
      "a function",
      { tools: [{ ...tool, strict: true, cache_control: { type: "ephemeral" } }] },
      {
        tools: [
          { type: "function", name: "look", description: "Looks.", inputSchema: schema, strict: true, cache: {} },
        ],
      },
    ],
    [
      "a tool with type `custom`",
      { tools: [{ type: "custom", name: "look", input_schema: schema, defer_loading: true }] },
      {
        tools: [
          {
            type: "function",
            name: "look",
            inputSchema: schema,
            ...withResidue({ $form: { type: "custom" }, defer_loading: true }),
          },
        ],
      },
    ],
    [
      "a provider tool",
      { tools: [{ type: "bash_20250124", name: "bash", cache_control: { type: "ephemeral" } }] },
      {
        tools: [
          {
            type: "provider",
            dialect: "anthropic",
            name: "bash",
            value: { type: "bash_20250124", name: "bash" },
            cache: {},
          },
        ],
      },
    ],
    ["B54: tool choice auto", { tool_choice: { type: "auto" } }, { toolChoice: "auto" }],
    ["B54: tool choice none", { tool_choice: { type: "none" } }, { toolChoice: "none" }],
    ["B54: tool choice any", { tool_choice: { type: "any" } }, { toolChoice: "required" }],
    [
      "B54: a choice of one tool",
      { tool_choice: { type: "tool", name: "look" } },
      { toolChoice: { toolName: "look" } },
    ],
    [
      "no parallel calls",
      { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
      { toolChoice: "auto", parallelToolCalls: false },
    ],
    ["an unknown tool choice", { tool_choice: { type: "coin" } }, withResidue({ tool_choice: { type: "coin" } })],
  ];
  test.each(rows)("%s", (_, wire, request) => {
    const body = { messages, ...wire };
    expect(dialect.decodeRequest(body)).toStrictEqual({ messages: [user("Hello.")], ...request });
    expect(dialect.encodeRequest(dialect.decodeRequest(body), { repair: false }).wire).toStrictEqual(body);
  });
});

test("the envelope is restored, without credentials", () => {
  const headers = { "Anthropic-Beta": "context-1m-2025-08-07", "x-api-key": "secret" };
  const body = { anthropic_version: "vertex-2023-10-16", max_tokens: 9, messages };
  const request = dialect.decodeRequest(body, { address: { model: "claude", stream: false, headers } });
  expect([request.model, request.stream]).toStrictEqual(["claude", false]);
  const { wire, address } = dialect.encodeRequest(request);
  expect(wire).toStrictEqual(body);
  expect(address).toStrictEqual({
    model: "claude",
    stream: false,
    headers: { "anthropic-beta": "context-1m-2025-08-07" },
  });
});

test("B57: a minimal request is encoded without defaults, in the SDK's types", () => {
  const { wire, losses } = dialect.encodeRequest({
    model: "claude",
    messages: [user("Hello.")],
    sampling: { maxOutputTokens: 9 },
  });
  const expected: AnthropicRequest = {
    model: "claude",
    messages: [{ role: "user", content: "Hello." }],
    max_tokens: 9,
  };
  expect(wire).toStrictEqual(expected);
  expect(losses).toStrictEqual([]);
});

test("a canonical request is encoded in the SDK's types", () => {
  const { wire, losses } = dialect.encodeRequest({
    model: "claude",
    messages: [
      system("Be brief."),
      user([
        { type: "text", text: "What is this?", cache: {} },
        { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
        { type: "file", url: "https://example.com/a.pdf", name: "a.pdf" },
      ]),
      assistant([{ type: "tool-call", toolCallId: "call_1", toolName: "look", input: { at: 1 } }]),
      {
        role: "tool",
        parts: [{ type: "tool-result", toolCallId: "call_1", toolName: "look", isError: true, output: "No." }],
      },
      user("Try again."),
    ],
    tools: [{ type: "function", name: "look", description: "Looks.", inputSchema: schema, strict: true }],
    toolChoice: { toolName: "look" },
    parallelToolCalls: false,
    sampling: { maxOutputTokens: 99, temperature: 0.5, stop: ["END"] },
    output: { type: "json-schema", schema },
    metadata: { user_id: "u" },
    stream: true,
  });
  const expected: AnthropicRequest = {
    model: "claude",
    max_tokens: 99,
    system: "Be brief.",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?", cache_control: { type: "ephemeral" } },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
          { type: "document", source: { type: "url", url: "https://example.com/a.pdf" }, title: "a.pdf" },
        ],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "look", input: { at: 1 } }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "No.", is_error: true },
          { type: "text", text: "Try again." },
        ],
      },
    ],
    tools: [{ name: "look", description: "Looks.", input_schema: schema, strict: true }],
    tool_choice: { type: "tool", name: "look", disable_parallel_tool_use: true },
    temperature: 0.5,
    stop_sequences: ["END"],
    output_config: { format: { type: "json_schema", schema } },
    metadata: { user_id: "u" },
    stream: true,
  };
  expect(wire).toStrictEqual(expected);
  expect(losses).toStrictEqual([]);
});

describe("a request that the provider accepts is not repaired", () => {
  const thinking = { type: "enabled", budget_tokens: 8000 };
  const use = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: "" };
  const rows: [sentence: string, wire: object, headers: Record<string, string>][] = [
    [
      "B8: tool calls of Anthropic's own model without thinking",
      {
        max_tokens: 9000,
        thinking,
        messages: [...messages, { role: "assistant", content: [use] }, { role: "user", content: [result] }],
      },
      {},
    ],
    [
      "a budget above `max_tokens` with interleaved thinking",
      { max_tokens: 2000, thinking, messages },
      { "anthropic-beta": "interleaved-thinking-2025-05-14" },
    ],
    [
      "a tool choice with the tools of an MCP server",
      { max_tokens: 9, messages, mcp_servers: [{ type: "url", name: "s", url: "u" }], tool_choice: { type: "any" } },
      {},
    ],
    ["B52: an empty list of tools", { max_tokens: 9, messages, tools: [] }, {}],
    [
      "an empty final assistant message",
      { max_tokens: 9, messages: [...messages, { role: "assistant", content: [] }] },
      {},
    ],
  ];
  test.each(rows)("%s", (_, wire, headers) => {
    const encoded = dialect.encodeRequest(dialect.decodeRequest(wire, { address: { headers } }));
    expect(encoded.wire).toStrictEqual(wire);
    expect(encoded.losses).toStrictEqual([]);
  });
});

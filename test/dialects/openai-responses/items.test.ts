// Tests decoding of Responses items: wire on the left, model on the right.
import { describe, expect, test } from "vitest";
import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";

const dialect = openaiResponses();
const ownExtra = (form: object): object => ({ extra: { "openai-responses": { $form: form } } });
const withForm = (fields: object): object => ({ extra: { "openai-responses": fields } });
const sealed = (kind: string, value: string): object => ({ dialect: "openai-responses", kind, value });

describe("boundaries of messages", () => {
  const text = (content: string): Part => ({ type: "text", text: content });
  const call = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "a", output: "x" };
  const rows: [sentence: string, wire: object[], messages: object[]][] = [
    [
      "B37: each user, system and developer message is one message in its position",
      [
        { role: "user", content: "1" },
        { role: "system", content: "2" },
        { role: "developer", content: "3" },
      ],
      [
        { role: "user", parts: [text("1")] },
        { role: "system", parts: [text("2")] },
        { role: "developer", parts: [text("3")] },
      ],
    ],
    [
      "leading system text becomes the instructions",
      [{ role: "system", content: "1" }],
      [{ role: "system", parts: [text("1")], ...ownExtra({ in: "input" }) }],
    ],
    [
      "B2: reasoning, texts and calls of the assistant are one message in their order",
      [{ type: "reasoning", id: "rs", summary: [] }, { role: "assistant", content: "1" }, call],
      [
        {
          role: "assistant",
          parts: [
            { type: "reasoning", text: "", seals: [sealed("id", "rs")] },
            text("1"),
            { type: "tool-call", toolCallId: "a", toolName: "f", input: {} },
          ],
        },
      ],
    ],
    [
      "B40: the start of a second assistant message is stored as form",
      [
        { role: "assistant", content: "1" },
        { role: "assistant", content: "2" },
      ],
      [{ role: "assistant", parts: [text("1"), { ...text("2"), ...ownExtra({ item: {} }) }] }],
    ],
    [
      "a run of tool outputs is one message",
      [call, output, { ...output, output: "y" }],
      [
        { role: "assistant", parts: [{ type: "tool-call", toolCallId: "a", toolName: "f", input: {} }] },
        {
          role: "tool",
          parts: ["x", "y"].map((each) => {
            return { type: "tool-result", toolCallId: "a", toolName: "f", isError: false, output: each };
          }),
        },
      ],
    ],
    [
      "B43: an item without a role becomes an opaque part of the assistant message",
      [
        { role: "assistant", content: "1" },
        { type: "item_reference", id: "x" },
        { role: "critic", content: "2" },
      ],
      [
        {
          role: "assistant",
          parts: [
            text("1"),
            { type: "opaque", dialect: "openai-responses", value: { type: "item_reference", id: "x" } },
          ],
        },
        { role: "user", parts: [text("2")], ...ownExtra({ role: "critic" }) },
      ],
    ],
  ];
  test.each(rows)("%s", (_, wire, messages) => {
    expect(dialect.decodeMessages(wire)).toStrictEqual(messages);
  });
});

describe("items of the assistant", () => {
  const id = "item_1";
  const seals = [sealed("id", id)];
  const call = { type: "tool-call", toolCallId: "a", toolName: "f", input: { x: 1 } };
  const hosted = { toolCallId: id, executor: "provider" };
  const rows: [sentence: string, item: object, parts: object[]][] = [
    [
      "a message item becomes a text with a seal",
      {
        type: "message",
        id,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "1", annotations: [], logprobs: [] }],
      },
      [{ type: "text", text: "1", seals }],
    ],
    [
      "B49: a refusal stays a refusal",
      { type: "message", id, role: "assistant", status: "completed", content: [{ type: "refusal", refusal: "No." }] },
      [{ type: "refusal", text: "No.", seals }],
    ],
    [
      "B42: phase and status are stored on the first part",
      { type: "message", id, role: "assistant", status: "incomplete", phase: null, content: "1" },
      [
        {
          type: "text",
          text: "1",
          seals,
          ...ownExtra({ item: { type: "message", status: "incomplete", phase: null }, content: "string" }),
        },
      ],
    ],
    [
      "B3: a reasoning item is one part with summaries, text and seals",
      {
        type: "reasoning",
        id,
        summary: [{ type: "summary_text", text: "In short." }],
        content: [{ type: "reasoning_text", text: "At length." }],
        encrypted_content: "gAAAA",
      },
      [
        {
          type: "reasoning",
          text: "At length.",
          summary: ["In short."],
          seals: [...seals, sealed("encrypted", "gAAAA")],
        },
      ],
    ],
    [
      "B23: a function call has its exact arguments",
      { type: "function_call", id, call_id: "a", name: "f", arguments: '{ "x": 1 }', status: "completed" },
      [{ ...call, inputText: '{ "x": 1 }', seals }],
    ],
    [
      "B20: absent arguments become {}",
      { type: "function_call", call_id: "a", name: "f", arguments: "" },
      [{ ...call, input: {}, inputText: "" }],
    ],
    [
      "B22: unparsable arguments are stored as text",
      { type: "function_call", call_id: "a", name: "f", arguments: '{"x":' },
      [{ ...call, input: '{"x":', inputText: '{"x":', invalid: true }],
    ],
    [
      "B31: a call with the status incomplete is invalid",
      { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}', status: "incomplete" },
      [{ ...call, invalid: true }],
    ],
    [
      "B32: a custom call has free text",
      { type: "custom_tool_call", call_id: "a", name: "f", input: "{x" },
      [{ ...call, input: "{x", format: "text" }],
    ],
    [
      "a computer call is the client's",
      { type: "computer_call", id, call_id: "a", action: { type: "wait" }, status: "completed" },
      [{ ...call, toolName: "computer", input: { type: "wait" }, tool: "computer_call", seals }],
    ],
    [
      "B33: a web search becomes a call and a result of the provider",
      { type: "web_search_call", id, action: { type: "search", query: "Vega" }, status: "completed" },
      [
        {
          ...call,
          ...hosted,
          toolName: "web_search",
          input: { type: "search", query: "Vega" },
          tool: "web_search_call",
        },
        { type: "tool-result", ...hosted, toolName: "web_search", isError: false, tool: "web_search_call" },
      ],
    ],
    [
      "B33: a web search in progress has no result",
      { type: "web_search_call", id, action: { type: "search", query: "Vega" }, status: "searching" },
      [
        {
          ...call,
          ...hosted,
          toolName: "web_search",
          input: { type: "search", query: "Vega" },
          tool: "web_search_call",
          ...withForm({ status: "searching" }),
        },
      ],
    ],
    [
      "B33: a generated image is content of its result",
      {
        type: "image_generation_call",
        id,
        result: "aGk=",
        output_format: "png",
        revised_prompt: "A star",
        status: "completed",
      },
      [
        {
          ...call,
          ...hosted,
          toolName: "image_generation",
          input: { revised_prompt: "A star" },
          tool: "image_generation_call",
        },
        {
          type: "tool-result",
          ...hosted,
          toolName: "image_generation",
          isError: false,
          tool: "image_generation_call",
          content: [{ type: "image", data: "aGk=", mimeType: "image/png" }],
        },
      ],
    ],
    [
      "B33: a failed MCP call is an error",
      { type: "mcp_call", id, name: "f", arguments: "{}", error: { type: "http_error", code: 500 }, status: "failed" },
      [
        { ...call, ...hosted, input: {}, tool: "mcp_call" },
        {
          type: "tool-result",
          ...hosted,
          toolName: "f",
          isError: true,
          output: { type: "http_error", code: 500 },
          tool: "mcp_call",
        },
      ],
    ],
    [
      "B33: a shell in a container is run by the provider",
      { type: "shell_call", call_id: "a", action: { commands: [] }, environment: { type: "container_reference" } },
      [
        {
          ...call,
          toolName: "shell",
          input: { commands: [] },
          tool: "shell_call",
          executor: "provider",
          ...withForm({ environment: { type: "container_reference" } }),
        },
      ],
    ],
  ];
  test.each(rows)("%s", (_, item, parts) => {
    expect(dialect.decodeMessages([item])).toStrictEqual([{ role: "assistant", parts }]);
  });

  test("B17: missing and repeated call ids are made unique, and results are matched", () => {
    const calls = ["x", undefined, "x"].map((call_id) => ({
      type: "function_call",
      call_id,
      name: "f",
      arguments: "{}",
    }));
    const outputs = ["x", "x", undefined].map((call_id) => ({ type: "function_call_output", call_id, output: "y" }));
    const [assistant, tool] = dialect.decodeMessages([...calls, ...outputs]);
    const ids = ({ parts }: Message): unknown[] => parts.map((part) => ("toolCallId" in part ? part.toolCallId : ""));
    expect(assistant && ids(assistant)).toStrictEqual(["x", "call_2", "call_3"]);
    expect(tool && ids(tool)).toStrictEqual(["x", "call_3", "call_2"]);
  });

  test("B5: seals and opaque items have the provider if it is known", () => {
    const [message] = openaiResponses({ provider: "azure" }).decodeMessages([
      { type: "reasoning", id, summary: [] },
      { type: "compaction", encrypted_content: "gAAAA" },
    ]);
    expect(message?.parts).toMatchObject([
      { seals: [{ provider: "azure" }] },
      { issuer: { dialect: "openai-responses", provider: "azure" } },
    ]);
  });
});

test("B48: spans of citations count UTF-16 units", () => {
  const citation = { type: "url_citation", url: "https://example.com", title: "T", start_index: 2, end_index: 4 };
  const content = [{ type: "output_text", text: "🌟 ab", annotations: [citation], logprobs: [] }];
  const [message] = dialect.decodeMessages([{ role: "assistant", content }]);
  expect(message?.parts).toStrictEqual([
    {
      type: "text",
      text: "🌟 ab",
      annotations: [{ kind: "url", url: "https://example.com", title: "T", span: { start: 3, end: 5 } }],
    },
  ]);
});

// How the items of OpenAI's Responses are read: wire on the left, model on the right.
import { describe, expect, test } from "vitest";
import { openaiResponses } from "../../src/dialects/openai-responses/index.ts";
import type { Message } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";

const dialect = openaiResponses();
const own = (form: object): object => ({ extra: { "openai-responses": { $form: form } } });
const kept = (fields: object): object => ({ extra: { "openai-responses": fields } });
const sealed = (kind: string, value: string): object => ({ dialect: "openai-responses", kind, value });

describe("where messages begin", () => {
  const text = (words: string): Part => ({ type: "text", text: words });
  const call = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "a", output: "x" };
  const rows: [sentence: string, wire: object[], messages: object[]][] = [
    [
      "B37: a user, a system and a developer message are one each, in their place",
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
      "leading system text stands in the instructions, plainly",
      [{ role: "system", content: "1" }],
      [{ role: "system", parts: [text("1")], ...own({ in: "input" }) }],
    ],
    [
      "B2: what the assistant thinks, says and asks is one message, in its order",
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
      "B40: a second message of the assistant says that it begins one",
      [
        { role: "assistant", content: "1" },
        { role: "assistant", content: "2" },
      ],
      [{ role: "assistant", parts: [text("1"), { ...text("2"), ...own({ item: {} }) }] }],
    ],
    [
      "a run of results is one message",
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
      "B43: an item without a role joins the assistant message beside it, verbatim",
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
        { role: "user", parts: [text("2")], ...own({ role: "critic" }) },
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
      "a message of an answer is a text with a seal",
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
      "B42: phase and status are kept on the first part",
      { type: "message", id, role: "assistant", status: "incomplete", phase: null, content: "1" },
      [
        {
          type: "text",
          text: "1",
          seals,
          ...own({ item: { type: "message", status: "incomplete", phase: null }, content: "string" }),
        },
      ],
    ],
    [
      "B3: reasoning is one part: summaries, text and seals",
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
      "B20: no arguments are none",
      { type: "function_call", call_id: "a", name: "f", arguments: "" },
      [{ ...call, input: {}, inputText: "" }],
    ],
    [
      "B22: unreadable arguments are kept as text",
      { type: "function_call", call_id: "a", name: "f", arguments: '{"x":' },
      [{ ...call, input: '{"x":', inputText: '{"x":', invalid: true }],
    ],
    [
      "B31: a call that was cut off must not be run",
      { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}', status: "incomplete" },
      [{ ...call, invalid: true }],
    ],
    [
      "B32: a custom call is free text",
      { type: "custom_tool_call", call_id: "a", name: "f", input: "{x" },
      [{ ...call, input: "{x", format: "text" }],
    ],
    [
      "a computer is the client's",
      { type: "computer_call", id, call_id: "a", action: { type: "wait" }, status: "completed" },
      [{ ...call, toolName: "computer", input: { type: "wait" }, tool: "computer_call", seals }],
    ],
    [
      "B33: a web search is a call and what came back, both the provider's",
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
      "B33: one that still searches has no result yet",
      { type: "web_search_call", id, action: { type: "search", query: "Vega" }, status: "searching" },
      [
        {
          ...call,
          ...hosted,
          toolName: "web_search",
          input: { type: "search", query: "Vega" },
          tool: "web_search_call",
          ...kept({ status: "searching" }),
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
      "B33: an MCP call that failed is an error",
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
      "B33: a shell in a container is the provider's",
      { type: "shell_call", call_id: "a", action: { commands: [] }, environment: { type: "container_reference" } },
      [
        {
          ...call,
          toolName: "shell",
          input: { commands: [] },
          tool: "shell_call",
          executor: "provider",
          ...kept({ environment: { type: "container_reference" } }),
        },
      ],
    ],
  ];
  test.each(rows)("%s", (_, item, parts) => {
    expect(dialect.decodeMessages([item])).toStrictEqual([{ role: "assistant", parts }]);
  });

  test("B17: missing and repeated call ids become ids of their own, and results find them", () => {
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

  test("B5: seals and opaque items name the provider where it is known", () => {
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

test("B48: citations have spans in UTF-16 units of the text", () => {
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

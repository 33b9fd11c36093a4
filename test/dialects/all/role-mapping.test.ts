// Roles, results, reasoning and images in each provider's dialect: the mapping tables and message examples of the
// requirements.
import { describe, expect, test } from "vitest";
import { dialect } from "../../../src/dialects/registry.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant, developer, system, toolResult, user } from "../../../src/model/message.ts";
import type { Part, Seal, ToolCallPart } from "../../../src/model/parts.ts";

const call: ToolCallPart = { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: { city: "Corinth" } };
const callHistory = [user("Hello."), assistant([call]), toolResult(call, "Clear")];
const createReasoning = (issuer: Seal["dialect"]): Part => ({
  type: "reasoning",
  text: "Hm.",
  seals: [{ dialect: issuer, kind: "signature", value: "c2ln" }],
});
const picture: Part = { type: "image", data: "aGk=", mimeType: "image/png" };

const encodeWire = (id: string, messages: Message[]): unknown => dialect(id).encodeMessages(messages).wire;

type Row = [sentence: string, messages: Message[], wire: unknown];

describe("OpenAI Chat", () => {
  const rows: Row[] = [
    [
      "the five roles are unchanged",
      [system("S"), developer("D"), ...callHistory],
      [
        { role: "system", content: "S" },
        { role: "developer", content: "D" },
        { role: "user", content: "Hello." },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Corinth"}' } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "Clear" },
      ],
    ],
    [
      "an image is a data URI",
      [user([picture])],
      [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }] }],
    ],
  ];
  test.each(rows)("%s", (_, messages, wire) => {
    expect(encodeWire("openai-chat", messages)).toStrictEqual(wire);
    expect(dialect("openai-chat").decodeMessages(wire)).toStrictEqual(messages);
  });

  test("the call_id or id of a flat tool message is encoded as tool_call_id", () => {
    const flatMessages = [
      { role: "assistant", content: "", tool_calls: [{ id: "a", name: "f", arguments: "{}" }] },
      { role: "tool", content: "1", call_id: "a" },
      { role: "assistant", content: "", tool_calls: [{ id: "b", name: "f", arguments: "{}" }] },
      { role: "tool", content: "2", id: "b" },
    ];
    const wire = encodeWire("openai-chat", dialect("flat").decodeMessages(flatMessages));
    expect(wire).toMatchObject([{}, { tool_call_id: "a" }, {}, { tool_call_id: "b" }]);
  });
});

describe("the examples of the fourth document", () => {
  const examples = [
    ["a system message", { role: "system", content: "You are a helpful assistant." }],
    ["a user message", { role: "user", content: "Write a unit test for foo()" }],
    ["an assistant message without tools", { role: "assistant", content: "Here is a test you can use..." }],
    [
      "an assistant message with tool calls",
      {
        role: "assistant",
        content: [{ type: "text", text: "Let me inspect the file first." }],
        tool_calls: [
          { id: "call_123", type: "function", function: { name: "read_file", arguments: '{ "path": "README.md" }' } },
        ],
      },
    ],
    ["a tool message", { role: "tool", content: "...tool output rendered as text...", tool_call_id: "call_123" }],
    ["content parts with text only", { role: "user", content: [{ text: "Hello." }] }],
  ] as const;
  test.each(examples)("%s round-trips unchanged", (_, message) => {
    expect(encodeWire("openai-chat", dialect("openai-chat").decodeMessages([message]))).toStrictEqual([message]);
  });

  test("content parts that are only text are decoded as text", () => {
    const [message] = dialect("openai-chat").decodeMessages([{ role: "user", content: [{ text: "Hello." }] }]);
    expect(message?.parts).toMatchObject([{ type: "text", text: "Hello." }]);
  });
});

describe("OpenAI Responses", () => {
  const rows: Row[] = [
    [
      "leading system text becomes instructions; developer, user and assistant messages keep their roles",
      [system("S"), developer("D"), user("Hello."), assistant("Hi.")],
      {
        instructions: "S",
        input: [
          { role: "developer", content: "D" },
          { role: "user", content: "Hello." },
          { role: "assistant", content: "Hi." },
        ],
      },
    ],
    [
      "a call and its result are items",
      callHistory,
      [
        { role: "user", content: "Hello." },
        { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Corinth"}' },
        { type: "function_call_output", call_id: "call_1", output: "Clear" },
      ],
    ],
  ];
  test.each(rows)("%s", (_, messages, wire) => {
    expect(encodeWire("openai-responses", messages)).toStrictEqual(wire);
    expect(dialect("openai-responses").decodeMessages(wire)).toStrictEqual(messages);
  });
});

describe("Anthropic", () => {
  const result = { type: "tool_result", tool_use_id: "call_1", content: "Clear" };
  const rows: Row[] = [
    [
      "system and developer become the one system string, joined by a blank line",
      [system("S"), developer("D"), user("Hello."), assistant("Hi.")],
      {
        system: "S\n\nD",
        messages: [
          { role: "user", content: "Hello." },
          { role: "assistant", content: "Hi." },
        ],
      },
    ],
    [
      "a result is a tool_result block of a user turn, and the next user message joins it",
      [...callHistory, user("And tomorrow?")],
      [
        { role: "user", content: "Hello." },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "call_1", name: "weather", input: { city: "Corinth" } }],
        },
        { role: "user", content: [result, { type: "text", text: "And tomorrow?" }] },
      ],
    ],
    [
      "a result joins the user turn before it",
      [...callHistory.slice(0, 2), user("Well?"), ...callHistory.slice(2)],
      [
        { role: "user", content: "Hello." },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "call_1", name: "weather", input: { city: "Corinth" } }],
        },
        { role: "user", content: [{ type: "text", text: "Well?" }, result] },
      ],
    ],
    [
      "consecutive messages of one role become one turn",
      [user("A"), user("B"), assistant("C"), assistant("D")],
      [
        {
          role: "user",
          content: [
            { type: "text", text: "A" },
            { type: "text", text: "B" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "text", text: "C" },
            { type: "text", text: "D" },
          ],
        },
      ],
    ],
    [
      "reasoning is a thinking block with its signature",
      [assistant([createReasoning("anthropic"), { type: "text", text: "Hi." }])],
      [
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "c2ln" },
            { type: "text", text: "Hi." },
          ],
        },
      ],
    ],
    [
      "an image is a base64 source",
      [user([picture])],
      [
        {
          role: "user",
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }],
        },
      ],
    ],
  ];
  test.each(rows)("%s", (_, messages, wire) => {
    expect(encodeWire("anthropic", messages)).toStrictEqual(wire);
  });

  test("thinking blocks of the flat shape, also redacted ones, are encoded unchanged", () => {
    const blocks = [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "redacted_thinking", data: "cmVk" },
    ];
    const flatMessages = [
      { role: "assistant", content: "Hi.", reasoning: "Hm.", extra: { claude: { thinking_blocks: blocks } } },
    ];
    expect(encodeWire("anthropic", dialect("flat").decodeMessages(flatMessages))).toStrictEqual([
      { role: "assistant", content: [...blocks, { type: "text", text: "Hi." }] },
    ]);
  });
});

describe("Gemini", () => {
  const rows: Row[] = [
    [
      "system and developer become systemInstruction, assistant is model",
      [system("S"), developer("D"), user("Hello."), assistant("Hi.")],
      {
        systemInstruction: { parts: [{ text: "S\n\nD" }] },
        contents: [
          { role: "user", parts: [{ text: "Hello." }] },
          { role: "model", parts: [{ text: "Hi." }] },
        ],
      },
    ],
    [
      "a result is a functionResponse in user content, with the name of its call",
      callHistory,
      [
        { role: "user", parts: [{ text: "Hello." }] },
        { role: "model", parts: [{ functionCall: { id: "call_1", name: "weather", args: { city: "Corinth" } } }] },
        {
          role: "user",
          parts: [{ functionResponse: { id: "call_1", name: "weather", response: { output: "Clear" } } }],
        },
      ],
    ],
    [
      "reasoning is a thought with its signature",
      [assistant([createReasoning("gemini")])],
      [{ role: "model", parts: [{ text: "Hm.", thought: true, thoughtSignature: "c2ln" }] }],
    ],
    [
      "an image is inlineData",
      [user([picture])],
      [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }] }],
    ],
  ];
  test.each(rows)("%s", (_, messages, wire) => {
    expect(encodeWire("gemini", messages)).toStrictEqual(wire);
  });

  test("the role model is always decoded as assistant", () => {
    const [message] = dialect("gemini").decodeMessages([{ role: "model", parts: [{ text: "Hi." }] }]);
    expect(message).toStrictEqual(assistant("Hi."));
  });

  test("thought signatures of the flat shape are encoded on their parts", () => {
    const flatMessages = [
      {
        role: "assistant",
        content: [{ type: "text", text: "Hi." }],
        extra: { gemini: { thought_signatures: ["c2ln"] } },
      },
    ];
    expect(encodeWire("gemini", dialect("flat").decodeMessages(flatMessages))).toStrictEqual([
      { role: "model", parts: [{ text: "Hi.", thoughtSignature: "c2ln" }] },
    ]);
  });
});

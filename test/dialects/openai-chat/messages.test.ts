// Tests decoding and encoding of Chat messages: every row is checked in both directions.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import { plainSamples } from "./message-samples.ts";

const dialect = openaiChat();
const withForm = (form: object): { extra: { "openai-chat": { $form: object } } } => ({
  extra: { "openai-chat": { $form: form } },
});

test.each(plainSamples.map(({ name, wire }) => [name, wire] as const))("plain data has no residue: %s", (_, wire) => {
  expect(stringifyJson(dialect.decodeMessages(wire))).not.toContain('"extra"');
});

describe("messages, both ways", () => {
  const rows: [sentence: string, wire: object, message: object][] = [
    ["a string is one text", { role: "user", content: "Hi" }, { role: "user", parts: [{ type: "text", text: "Hi" }] }],
    [
      "B42: an empty string is an empty text",
      { role: "user", content: "" },
      { role: "user", parts: [{ type: "text", text: "" }] },
    ],
    ["B42: an empty list has no parts", { role: "user", content: [] }, { role: "user", parts: [] }],
    [
      "B42: null content is stored as form",
      { role: "user", content: null },
      { role: "user", parts: [], ...withForm({ content: null }) },
    ],
    [
      "B42: absent content is stored as form",
      { role: "user" },
      { role: "user", parts: [], ...withForm({ content: "absent" }) },
    ],
    [
      "a list with one text is stored as form",
      { role: "system", content: [{ type: "text", text: "Hi" }] },
      { role: "system", parts: [{ type: "text", text: "Hi" }], ...withForm({ content: "list" }) },
    ],
    [
      "B38: several system blocks stay blocks, each with its breakpoint",
      {
        role: "system",
        content: [
          { type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } },
          { type: "text", text: "b", cache_control: { type: "ephemeral" } },
        ],
      },
      {
        role: "system",
        parts: [
          { type: "text", text: "a", cache: { ttl: "1h" }, ...withForm({ cache: { cache_control: {} } }) },
          { type: "text", text: "b", cache: {}, ...withForm({ cache: { cache_control: {} } }) },
        ],
      },
    ],
    [
      "a message of an unknown role becomes a user message",
      { role: "critic", content: "Bravo" },
      { role: "user", parts: [{ type: "text", text: "Bravo" }], ...withForm({ role: "critic" }) },
    ],
    [
      "an assistant message with only calls has null content",
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "assistant", parts: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
    ],
    [
      "an empty assistant string becomes no text",
      { role: "assistant", content: "" },
      { role: "assistant", parts: [], ...withForm({ content: "" }) },
    ],
    [
      "B49: a refusal stays a refusal, after the content",
      { role: "assistant", content: "Well.", refusal: "No." },
      {
        role: "assistant",
        parts: [
          { type: "text", text: "Well." },
          { type: "refusal", text: "No." },
        ],
      },
    ],
    [
      "audio output of a request has only its id",
      { role: "assistant", content: null, audio: { id: "audio_1" } },
      { role: "assistant", parts: [{ type: "audio", fileId: "audio_1", issuer: { dialect: "openai-chat" } }] },
    ],
    [
      "empty fields become residue",
      { role: "assistant", content: "Hi", refusal: null, annotations: [] },
      {
        role: "assistant",
        parts: [{ type: "text", text: "Hi" }],
        extra: { "openai-chat": { refusal: null, annotations: [] } },
      },
    ],
    [
      "a tool message becomes a result",
      { role: "tool", tool_call_id: "c", content: "ok" },
      { role: "tool", parts: [{ type: "tool-result", toolCallId: "c", toolName: "", isError: false, output: "ok" }] },
    ],
    [
      "B27: an empty result is an empty output",
      { role: "tool", tool_call_id: "c", content: "" },
      { role: "tool", parts: [{ type: "tool-result", toolCallId: "c", toolName: "", isError: false, output: "" }] },
    ],
    [
      "text blocks of a result become its content",
      { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "ok" }] },
      {
        role: "tool",
        parts: [
          {
            type: "tool-result",
            toolCallId: "c",
            toolName: "",
            isError: false,
            content: [{ type: "text", text: "ok" }],
          },
        ],
      },
    ],
  ];
  test.each(rows)("%s", (_, wire, message) => {
    expect(dialect.decodeMessages([wire])).toStrictEqual([message]);
    expect(dialect.encodeMessages([message as Message])).toStrictEqual({ wire: [wire], losses: [] });
  });
});

describe("blocks of content, both ways", () => {
  const rows: [sentence: string, wire: object, part: object][] = [
    [
      "an image by URL; B47: absent fields stay absent",
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
      { type: "image", url: "https://example.com/a.png" },
    ],
    [
      "B47: an inline image with its MIME type",
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
      { type: "image", mimeType: "image/png", data: "aGk=" },
    ],
    [
      "the detail of an image becomes residue",
      { type: "image_url", image_url: { url: "u", detail: "low" } },
      { type: "image", url: "u", extra: { "openai-chat": { image_url: { detail: "low" } } } },
    ],
    [
      "an image_url that is a string is stored as form",
      { type: "image_url", image_url: "u" },
      { type: "image", url: "u", ...withForm({ as: "string" }) },
    ],
    [
      "audio with its format",
      { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } },
      { type: "audio", data: "aGk=", mimeType: "audio/mpeg" },
    ],
    [
      "B46: a file inline, with its name",
      { type: "file", file: { file_data: "data:application/pdf;base64,aGk=", filename: "a.pdf" } },
      { type: "file", mimeType: "application/pdf", data: "aGk=", name: "a.pdf" },
    ],
    [
      "B46: a file by id, with its issuer",
      { type: "file", file: { file_id: "file-1" } },
      { type: "file", fileId: "file-1", issuer: { dialect: "openai-chat" } },
    ],
    [
      "video, which only some vendors have",
      { type: "video_url", video_url: { url: "u" } },
      { type: "video", url: "u", ...withForm({ in: "video_url" }) },
    ],
    [
      "OpenAI's cache breakpoint, with a ttl that the model lacks",
      { type: "text", text: "x", prompt_cache_breakpoint: { mode: "explicit", ttl: "30m" } },
      { type: "text", text: "x", cache: {}, ...withForm({ cache: { prompt_cache_breakpoint: { ttl: "30m" } } }) },
    ],
    [
      "B43: an unknown block becomes opaque",
      { type: "hologram", depth: 3 },
      { type: "opaque", dialect: "openai-chat", value: { type: "hologram", depth: 3 } },
    ],
    [
      "B43: a text block without a text becomes opaque",
      { type: "text", words: "x" },
      { type: "opaque", dialect: "openai-chat", value: { type: "text", words: "x" } },
    ],
  ];
  test.each(rows)("%s", (_, wire, part) => {
    const before = { type: "text", text: "Look:" };
    const messages = dialect.decodeMessages([{ role: "user", content: [before, wire] }]);
    expect(messages[0]?.parts[1]).toStrictEqual(part);
    expect(dialect.encodeMessages([{ role: "user", parts: [before, part] as Part[] }])).toStrictEqual({
      wire: [{ role: "user", content: [before, wire] }],
      losses: [],
    });
  });
});

describe("calls, both ways", () => {
  const rows: [sentence: string, wire: object, part: object][] = [
    [
      "a function with JSON arguments",
      { id: "c", type: "function", function: { name: "f", arguments: '{"x":1}' } },
      { type: "tool-call", toolCallId: "c", toolName: "f", input: { x: 1 } },
    ],
    [
      "B23: the exact text of arguments is stored",
      { id: "c", type: "function", function: { name: "f", arguments: '{ "x": 1.0 }' } },
      { type: "tool-call", toolCallId: "c", toolName: "f", input: { x: 1 }, inputText: '{ "x": 1.0 }' },
    ],
    [
      "B20: absent arguments become {}",
      { id: "c", type: "function", function: { name: "f", arguments: "" } },
      { type: "tool-call", toolCallId: "c", toolName: "f", input: {}, inputText: "" },
    ],
    [
      "B22: malformed arguments are stored as text and marked as invalid",
      { id: "c", type: "function", function: { name: "f", arguments: '{"x' } },
      { type: "tool-call", toolCallId: "c", toolName: "f", input: '{"x', inputText: '{"x', invalid: true },
    ],
    [
      "B32: a custom tool with free text",
      { id: "c", type: "custom", custom: { name: "sh", input: "ls\n" } },
      { type: "tool-call", toolCallId: "c", toolName: "sh", input: "ls\n", format: "text" },
    ],
    [
      "a vendor's call without a type",
      { id: "c", function: { name: "f", arguments: "{}" } },
      { type: "tool-call", toolCallId: "c", toolName: "f", input: {}, ...withForm({ absent: ["type"] }) },
    ],
    [
      "arguments that are an object",
      { id: "c", type: "function", function: { name: "f", arguments: { x: 1 } } },
      { type: "tool-call", toolCallId: "c", toolName: "f", input: { x: 1 }, ...withForm({ arguments: "object" }) },
    ],
    [
      "B17: a call without an id gets one",
      { type: "function", function: { name: "f", arguments: "{}" } },
      { type: "tool-call", toolCallId: "call_1", toolName: "f", input: {}, ...withForm({ id: null }) },
    ],
    [
      "B43: a call of an unknown type becomes opaque and stays in tool_calls",
      { id: "c", type: "teleport", teleport: {} },
      {
        type: "opaque",
        dialect: "openai-chat",
        value: { id: "c", type: "teleport", teleport: {} },
        ...withForm({ in: "tool_calls" }),
      },
    ],
  ];
  test.each(rows)("%s", (_, wire, part) => {
    const message = { role: "assistant", content: null, tool_calls: [wire] };
    expect(dialect.decodeMessages([message])[0]?.parts).toStrictEqual([part]);
    const encoded = dialect.encodeMessages([{ role: "assistant", parts: [part] as Part[] }]);
    expect(encoded).toStrictEqual({ wire: [message], losses: [] });
  });

  test("B17: repeated ids are made unique, and every result is matched with its call", () => {
    const call = { id: "same", type: "function", function: { name: "f", arguments: "{}" } };
    const wire = [
      { role: "assistant", content: null, tool_calls: [call, call] },
      { role: "tool", tool_call_id: "same", content: "1" },
      { role: "tool", tool_call_id: "same", content: "2" },
    ];
    const messages = dialect.decodeMessages(wire);
    const ids = messages.flatMap(({ parts }) => parts.map((part) => ("toolCallId" in part ? part.toolCallId : "")));
    expect(ids).toStrictEqual(["same", "call_2", "same", "call_2"]);
    expect(dialect.encodeMessages(messages)).toStrictEqual({ wire, losses: [] });
  });

  test("B23: a number beyond 2^53 keeps its digits in every position", () => {
    const text =
      '[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{"n":12345678901234567890}},"stamp":98765432109876543210}]}]';
    const { wire } = dialect.encodeMessages(dialect.decodeMessages(parseJson(text)));
    expect(stringifyJson(wire)).toBe(
      '[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{"n":12345678901234567890}},"stamp":98765432109876543210}]}]',
    );
  });

  test("the result of a function_call names the function", () => {
    const wire = [
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "ok" },
    ];
    expect(dialect.decodeMessages(wire)).toStrictEqual([
      {
        role: "assistant",
        parts: [
          {
            type: "tool-call",
            toolCallId: "call_1",
            toolName: "f",
            input: {},
            ...withForm({ id: null, in: "function_call" }),
          },
        ],
      },
      {
        role: "tool",
        parts: [
          {
            type: "tool-result",
            toolCallId: "call_1",
            toolName: "f",
            isError: false,
            output: "ok",
            ...withForm({ id: null, name: true }),
          },
        ],
        ...withForm({ legacy: true }),
      },
    ]);
  });
});

describe("B48: citations", () => {
  const cited = (text: string, start: number, end: number): object => ({
    role: "assistant",
    content: text,
    annotations: [
      {
        type: "url_citation",
        url_citation: { url: "https://example.com", title: "T", start_index: start, end_index: end },
      },
    ],
  });
  const rows: [sentence: string, wire: object, span: object][] = [
    ["positions count code points", cited("Corinth is old", 0, 7), { start: 0, end: 7 }],
    ["a surrogate pair counts as one position", cited("🏛🏛 Corinth 🏛", 3, 10), { start: 5, end: 12 }],
    ["positions can lie beyond the text", cited("🏛", 5, 9), { start: 6, end: 10 }],
  ];
  test.each(rows)("%s", (_, wire, span) => {
    const messages = dialect.decodeMessages([wire]);
    expect(messages[0]?.parts[0]).toHaveProperty("annotations", [
      { kind: "url", url: "https://example.com", title: "T", span },
    ]);
    expect(dialect.encodeMessages(messages)).toStrictEqual({ wire: [wire], losses: [] });
  });
});

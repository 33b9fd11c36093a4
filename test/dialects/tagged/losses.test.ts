// The losses of encoding tagged messages, one row each, and forms that edits make stale.
import { describe, expect, test } from "vitest";
import { tagged } from "../../../src/dialects/tagged/index.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";

const dialect = tagged();
const produced = new Set<string>();

interface Outcome {
  wire: { content: unknown }[];
  losses: string[];
}

/** Returns the wire, and each loss as "code path". */
function encode(messages: readonly Message[]): Outcome {
  const { wire, losses } = dialect.encodeMessages(messages);
  for (const { code } of losses) produced.add(code);
  return { wire: wire as Outcome["wire"], losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

const call = { type: "tool-call", toolCallId: "a", toolName: "f", input: {} } as const;
const result = { type: "tool-result", toolCallId: "a", toolName: "", isError: false } as const;
const wireCall = (args: unknown): object => ({ kind: "TOOL_CALL", tool_call: { id: "a", name: "f", arguments: args } });
const wireResult = (content: string): object => ({
  kind: "TOOL_RESULT",
  tool_result: { tool_call_id: "a", content, is_error: false },
});

describe("parts", () => {
  const rows: [sentence: string, part: Part, wire: object | undefined, losses: string[]][] = [
    [
      "B49: a refusal is written as text",
      { type: "refusal", text: "No." },
      { kind: "TEXT", text: "No." },
      ["refusal-as-text /0/parts/0"],
    ],
    [
      "video is written as a document",
      { type: "video", url: "https://example.com/v", name: "v.mp4" },
      { kind: "DOCUMENT", document: { url: "https://example.com/v", file_name: "v.mp4" } },
      ["media-as-file /0/parts/0"],
    ],
    [
      "a plain-text document is written as base64",
      { type: "file", text: "Grüße" },
      { kind: "DOCUMENT", document: { data: "R3LDvMOfZQ==", media_type: "text/plain" } },
      ["text-as-data /0/parts/0/text"],
    ],
    [
      "a text with a MIME type has it",
      { type: "image", text: "<svg/>", mimeType: "image/svg+xml" },
      { kind: "IMAGE", image: { data: "PHN2Zy8+", media_type: "image/svg+xml" } },
      ["text-as-data /0/parts/0/text"],
    ],
    ["B46: a file id is dropped", { type: "file", fileId: "file_1" }, undefined, ["file-id-not-portable /0/parts/0"]],
    ["a path is dropped", { type: "image", path: "a.png" }, undefined, ["media-source-unsupported /0/parts/0"]],
    ["a ledger reference is dropped", { type: "audio", blob: "b" }, undefined, ["media-source-unsupported /0/parts/0"]],
    [
      "a document of parts is dropped",
      { type: "file", content: [] },
      undefined,
      ["media-source-unsupported /0/parts/0"],
    ],
    ["media without a source are dropped", { type: "image" }, undefined, ["media-source-unsupported /0/parts/0"]],
    [
      "of several sources one is written",
      { type: "image", url: "u", data: "aGk=", fileId: "f" },
      { kind: "IMAGE", image: { url: "u" } },
      ["field-unsupported /0/parts/0/data", "field-unsupported /0/parts/0/fileId"],
    ],
    [
      "the name of an image is dropped",
      { type: "image", url: "u", name: "a.png", size: 3 },
      { kind: "IMAGE", image: { url: "u" } },
      ["field-unsupported /0/parts/0/name", "metadata-dropped /0/parts/0/size"],
    ],
    [
      "B48, B60: annotations and log probabilities are reported",
      { type: "text", text: "x", annotations: [{ kind: "other" }], logprobs: [], cache: {} },
      { kind: "TEXT", text: "x" },
      [
        "field-unsupported /0/parts/0/annotations",
        "field-unsupported /0/parts/0/logprobs",
        "metadata-dropped /0/parts/0/cache",
      ],
    ],
    [
      "B5: a seal of another dialect is dropped",
      { type: "reasoning", text: "Hm.", seals: [{ dialect: "gemini", kind: "signature", value: "x" }] },
      { kind: "THINKING", thinking: { text: "Hm." } },
      ["seal-not-portable /0/parts/0/seals/0"],
    ],
    [
      "the model and provider of a seal are metadata",
      {
        type: "reasoning",
        text: "Hm.",
        seals: [{ dialect: "anthropic", provider: "p", model: "m", kind: "signature", value: "x" }],
      },
      { kind: "THINKING", thinking: { text: "Hm.", signature: "x" } },
      ["metadata-dropped /0/parts/0/seals/0/model", "metadata-dropped /0/parts/0/seals/0/provider"],
    ],
    [
      "a redacted payload beside a text is dropped",
      { type: "reasoning", text: "Hm.", seals: [{ dialect: "anthropic", kind: "redacted", value: "x" }] },
      { kind: "THINKING", thinking: { text: "Hm." } },
      ["seal-not-portable /0/parts/0/seals/0"],
    ],
    [
      "residue whose key is used is reported",
      { type: "image", data: "aGk=", extra: { tagged: { image: { url: "u", data: "old", alt: "a" } } } },
      { kind: "IMAGE", image: { data: "aGk=", url: "u", alt: "a" } },
      ["residue-conflict /0/parts/0/extra/tagged/image/data"],
    ],
    [
      "a seal on a text is dropped",
      { type: "text", text: "x", seals: [{ dialect: "anthropic", kind: "signature", value: "x" }] },
      { kind: "TEXT", text: "x" },
      ["seal-not-portable /0/parts/0/seals"],
    ],
    [
      "a summary is reported",
      { type: "reasoning", text: "", summary: ["In short."] },
      { kind: "THINKING", thinking: { text: "" } },
      ["field-unsupported /0/parts/0/summary"],
    ],
    [
      "B22: unreadable arguments are wrapped and the flag is reported",
      { ...call, input: '{"x": ', inputText: '{"x": ', invalid: true },
      wireCall({ $value: '{"x": ' }),
      ["arguments-wrapped /0/parts/0/input", "invalid-call-unsupported /0/parts/0/invalid"],
    ],
    [
      "B31: readable arguments of a call that was cut off",
      { ...call, input: { x: 1 }, invalid: true },
      wireCall({ x: 1 }),
      ["invalid-call-unsupported /0/parts/0/invalid"],
    ],
    ["a list is wrapped", { ...call, input: [1] }, wireCall({ $value: [1] }), ["arguments-wrapped /0/parts/0/input"]],
    [
      "B32: free-form input is wrapped",
      { ...call, input: "ls", format: "text", tool: "shell" },
      wireCall({ $value: "ls" }),
      [
        "field-unsupported /0/parts/0/format",
        "field-unsupported /0/parts/0/tool",
        "arguments-wrapped /0/parts/0/input",
      ],
    ],
    ["B20: a missing input becomes empty arguments", { ...call, input: undefined }, wireCall({}), []],
    ["B20: a blank text becomes empty arguments", { ...call, inputText: "" }, wireCall({}), []],
    [
      "B33: a provider's call is dropped",
      { ...call, executor: "provider" },
      undefined,
      ["provider-tool-unsupported /0/parts/0"],
    ],
    [
      "B33: a provider's result is dropped",
      { ...result, output: "x", executor: "provider" },
      undefined,
      ["provider-tool-unsupported /0/parts/0"],
    ],
    [
      "a result's tool name that no call has is reported",
      { ...result, toolName: "f", output: "x" },
      wireResult("x"),
      ["result-tool-name-dropped /0/parts/0/toolName"],
    ],
    ["B27: a result without output is an empty text", result, wireResult(""), ["result-empty /0/parts/0/output"]],
    [
      "JSON output is written as text",
      { ...result, output: { x: 1 } },
      wireResult('{"x":1}'),
      ["output-as-text /0/parts/0/output"],
    ],
    ["null is JSON output", { ...result, output: null }, wireResult("null"), ["output-as-text /0/parts/0/output"]],
    [
      "B45: texts of a result are joined, an image is never turned into text",
      {
        ...result,
        output: "1",
        content: [
          { type: "text", text: "2", cache: {} },
          { type: "image", data: "aGk=" },
        ],
      },
      wireResult("1\n2"),
      [
        "result-text-joined /0/parts/0/content/0",
        "metadata-dropped /0/parts/0/content/0/cache",
        "result-part-dropped /0/parts/0/content/1",
      ],
    ],
    [
      "a result with only an image becomes an empty text",
      { ...result, content: [{ type: "image", data: "aGk=" }] },
      wireResult(""),
      ["result-part-dropped /0/parts/0/content/0", "result-empty /0/parts/0/output"],
    ],
    [
      "a block of another dialect is dropped",
      { type: "opaque", dialect: "gemini", value: {} },
      undefined,
      ["opaque-not-portable /0/parts/0"],
    ],
    [
      "a verbatim value that is not a part is dropped",
      { type: "opaque", dialect: "tagged", value: { kind: 7 } },
      undefined,
      ["part-unsupported /0/parts/0"],
    ],
    [
      "further fields of a verbatim block are dropped",
      { type: "opaque", dialect: "tagged", value: { kind: "X" }, extra: { tagged: { y: 1 } } },
      { kind: "X" },
      ["field-unsupported /0/parts/0/extra"],
    ],
    [
      "residue of another dialect is reported, form separately",
      { type: "text", text: "x", extra: { gemini: { y: 1, $form: { z: 1 } } } },
      { kind: "TEXT", text: "x" },
      ["residue-not-portable /0/parts/0/extra/gemini/y", "form-not-portable /0/parts/0/extra/gemini/$form/z"],
    ],
    [
      "an unknown part type is dropped",
      // Stored messages may contain types of a later Koine.
      { type: "hologram", depth: 3 } as unknown as Part,
      undefined,
      ["part-unsupported /0/parts/0"],
    ],
  ];
  test.each(rows)("%s", (_, part, wire, losses) => {
    const encoded = encode([{ role: "assistant", parts: [part] }]);
    expect(encoded).toStrictEqual({
      wire: [{ role: "ASSISTANT", content: wire === undefined ? [] : [wire] }],
      losses,
    });
  });

  test("a result's tool name is not reported if its call has it", () => {
    const { losses } = encode([
      { role: "assistant", parts: [call] },
      { role: "tool", parts: [{ ...result, toolName: "f", output: "x" }] },
    ]);
    expect(losses).toStrictEqual([]);
  });
});

describe("messages", () => {
  test("ids, names and metadata are reported", () => {
    const stored = { role: "user", parts: [], id: "1", name: "Ada", metadata: {}, createdAt: "now" } as const;
    expect(encode([{ ...stored, parts: [] }]).losses).toStrictEqual([
      "metadata-dropped /0/id",
      "field-unsupported /0/name",
      "metadata-dropped /0/metadata",
      "metadata-dropped /0/createdAt",
    ]);
  });

  test("an unknown role is encoded as USER", () => {
    // Messages of callers may have any value.
    const odd = { role: "critic", parts: [] } as unknown as Message;
    expect(encode([odd])).toStrictEqual({
      wire: [{ role: "USER", content: [] }],
      losses: ["role-approximated /0/role"],
    });
  });
});

describe("a form that does not match after an edit", () => {
  const bare = { role: "TOOL", content: "x", tool_call_id: "a" };
  const rows: [string, object, (message: Message) => Message, unknown][] = [
    [
      "content was a string and now has two parts",
      { role: "USER", content: "x" },
      (message) => ({ ...message, parts: [...message.parts, { type: "text", text: "y" }] }),
      {
        role: "USER",
        content: [
          { kind: "TEXT", text: "x" },
          { kind: "TEXT", text: "y" },
        ],
      },
    ],
    [
      "an unknown role that was replaced by a known one",
      { role: "critic", content: [] },
      (message) => ({ ...message, role: "assistant" }),
      { role: "ASSISTANT", content: [] },
    ],
    [
      "a bare result that became an error",
      bare,
      (message) => ({ ...message, parts: [{ ...result, isError: true, output: "x" }] }),
      {
        role: "TOOL",
        content: [{ kind: "TOOL_RESULT", tool_result: { tool_call_id: "a", content: "x", is_error: true } }],
        tool_call_id: "a",
      },
    ],
    [
      "a bare result that got a second one",
      bare,
      (message) => ({ ...message, parts: [...message.parts, { ...result, toolCallId: "b", output: "y" }] }),
      {
        role: "TOOL",
        content: [
          wireResult("x"),
          { kind: "TOOL_RESULT", tool_result: { tool_call_id: "b", content: "y", is_error: false } },
        ],
      },
    ],
    [
      "a data URL whose type was removed",
      { role: "USER", content: [{ kind: "IMAGE", image: { url: "data:image/png;base64,aGk=" } }] },
      ({ parts: [part], ...message }) => ({
        ...message,
        parts: [{ type: "image", data: "aGk=", extra: part?.extra ?? {} }],
      }),
      { role: "USER", content: [{ kind: "IMAGE", image: { data: "aGk=" } }] },
    ],
    [
      "redacted reasoning that got a text",
      { role: "ASSISTANT", content: [{ kind: "REDACTED_THINKING", thinking: { signature: "x" } }] },
      ({ parts: [part], ...message }) => ({
        ...message,
        parts: [{ type: "reasoning", text: "Hm.", extra: part?.extra ?? {} }],
      }),
      { role: "ASSISTANT", content: [{ kind: "THINKING", thinking: { text: "Hm." } }] },
    ],
  ];
  test.each(rows)("%s", (_, wire, edit, expected) => {
    const [message] = dialect.decodeMessages([wire]);
    const encoded = encode(message === undefined ? [] : [edit(message)]);
    expect(encoded.wire).toStrictEqual([expected]);
    expect(encoded.losses.filter((loss) => loss.startsWith("form-stale"))).toHaveLength(1);
  });

  test("values that were null, absent or empty are replaced after an edit", () => {
    const messages = dialect.decodeMessages([
      { role: "ASSISTANT", content: [{ kind: "TOOL_CALL", tool_call: { id: "a", name: null } }] },
      { role: "ASSISTANT", content: null },
    ]);
    Object.assign(messages[0]?.parts[0] ?? {}, { toolName: "f", input: { x: 1 } });
    messages[1]?.parts.push({ type: "text", text: "x" });
    expect(encode(messages)).toStrictEqual({
      wire: [
        { role: "ASSISTANT", content: [wireCall({ x: 1 })] },
        { role: "ASSISTANT", content: [{ kind: "TEXT", text: "x" }] },
      ],
      losses: [],
    });
  });
});

test("every declared loss is produced by some row above", () => {
  expect([...produced].toSorted()).toStrictEqual(Object.keys(dialect.losses).toSorted());
});
